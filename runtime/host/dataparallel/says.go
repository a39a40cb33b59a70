package dataparallel

import (
	"fmt"
	"io"
	"slices"

	"github.com/bbgen/bbgen/runtime/host/peer"
)

// says returns the writer for the training's output: standard output, or lines of kind [peer.Said] if the peer
// writes its events there.
func says(flags []string, stdout io.Writer, g *group) io.Writer {
	if i := slices.Index(flags, "-events"); i >= 0 && i+1 < len(flags) && flags[i+1] == "-" {
		return peer.SaidWriter(stdout, fmt.Sprintf("%s-%d", Class, g.rank))
	}
	return stdout
}
