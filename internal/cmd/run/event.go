package run

import "github.com/bbgen/bbgen/runtime/host/peer"

// event is a line that a peer has written, or one of ours: killed.
type event struct {
	seconds float64 // since the start; virtual in a simulation
	peer.Line
}

// wrong reports whether somebody should look at what has happened.
func (e event) wrong() bool {
	switch e.Kind {
	case "killed", "peer down", "missing", "refused", "failed", "waiting", "overflow", "short", "peer suspect":
		return true
	}
	return e.Error != ""
}

// text says what has happened.
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
