package dataparallel

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
)

// Begun is the kind of the line of -events that a peer writes when all peers have begun to train together. If one fails
// before that, the others cannot continue without it.
const Begun = "begun"

// tellBegun writes a line of kind [Begun], once, if the peer writes its events to standard output.
func (g *group) tellBegun() {
	g.begun.Do(func() {
		if g.events == nil {
			return
		}
		if text, err := json.Marshal(peer.Line{Time: time.Now(), Peer: g.name(), Kind: Begun}); err == nil {
			g.events.Write(append(text, '\n'))
		}
	})
}

// name returns the name of the peer: trainer-1.
func (g *group) name() string { return fmt.Sprintf("%s-%d", Class, g.rank) }

// says returns the writer for the training's output: standard output, or lines of kind [peer.Said] if the peer
// writes its events there.
func says(flags []string, stdout io.Writer, g *group) io.Writer {
	if writesEvents(flags) {
		g.events = stdout
		return peer.SaidWriter(stdout, g.name())
	}
	return stdout
}

// writesEvents reports whether the peer writes its events to standard output.
func writesEvents(flags []string) bool {
	i := slices.Index(flags, "-events")
	return i >= 0 && i+1 < len(flags) && flags[i+1] == "-"
}
