package dataparallel

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
)

// tellBegun writes a line of kind [peer.Begun], once, if the peer writes its events to standard output.
func (g *group) tellBegun() {
	g.begun.Do(func() {
		if g.events == nil {
			return
		}
		if text, err := json.Marshal(peer.Line{Time: time.Now(), Peer: g.name(), Kind: peer.Begun}); err == nil {
			g.events.Write(append(text, '\n'))
		}
	})
}

// name returns the name of the peer: trainer-1.
func (g *group) name() string { return fmt.Sprintf("%s-%d", Class, g.rank) }

// says returns the writer for the training's output: standard output, or lines of kind [peer.Said] if the peer
// writes its events there.
func says(flags []string, stdout io.Writer, g *group) io.Writer {
	if i := slices.Index(flags, "-events"); i >= 0 && i+1 < len(flags) && flags[i+1] == "-" {
		g.events = stdout
		return peer.SaidWriter(stdout, g.name())
	}
	return stdout
}
