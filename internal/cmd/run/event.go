package run

import (
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/runtime/host/peer"
)

// event is a line written by a peer, or an event of bbgen run itself, such as killed.
type event struct {
	seconds float64 // since the start; virtual in a simulation
	peer.Line
}

// wrong reports whether the event is an error or a warning.
func (e event) wrong() bool {
	switch e.Kind {
	case "killed", "peer down", "missing", "refused", "failed", "waiting", "overflow", "short", "peer suspect":
		return true
	}
	return e.Error != ""
}

// cause describes a failed block: client-5: client.update of execution 2: disk is full.
func (e event) cause() string {
	s := e.Peer + ": "
	if e.Name != "" && e.Round > 0 && !strings.HasPrefix(e.Error, e.Name) { // an older peer says it itself
		s += fmt.Sprintf("%s of execution %d: ", e.Name, e.Round)
	}
	return s + e.Error
}

// text describes the event.
func (e event) text() string {
	s := e.Peer + ": " + e.Kind
	if e.From != "" {
		s += " " + e.From
	}
	if e.Name != "" {
		s += ", " + e.Name
	}
	if e.Error != "" {
		s += ": " + e.Error
	}
	return s
}
