package dataparallel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
)

// Said is the kind of lines of -events for the output of the training: the line's name is the output.
const Said = "said"

// says returns the writer for the training's output: standard output, or lines of kind [Said] if the peer
// writes its events there.
func says(flags []string, stdout io.Writer, g *group) io.Writer {
	if i := slices.Index(flags, "-events"); i >= 0 && i+1 < len(flags) && flags[i+1] == "-" {
		return &lines{w: stdout, peer: fmt.Sprintf("%s-%d", Class, g.rank)}
	}
	return stdout
}

// lines writes each line of a text as an event.
type lines struct {
	w    io.Writer
	peer string
	rest []byte // of an incomplete line
}

// Write implements [io.Writer].
func (l *lines) Write(b []byte) (int, error) {
	l.rest = append(l.rest, b...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		text, err := json.Marshal(peer.Line{Time: time.Now(), Peer: l.peer, Kind: Said, Name: string(line)})
		if err != nil {
			return 0, err
		}
		if _, err := l.w.Write(append(text, '\n')); err != nil {
			return 0, err
		}
		l.rest = append(l.rest[:0], rest...)
	}
}
