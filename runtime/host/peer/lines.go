package peer

import (
	"bytes"
	"encoding/json"
	"io"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/follow"
	"github.com/bbgen/bbgen/runtime/host/peer/status"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// line writes a line of -events, with a value if it is not nil.
func (h *host) line(l status.Line, value *tensor.Tensor) {
	if h.events != nil {
		l.Time, l.Peer = time.Now(), h.name()
		h.events.Line(l, value)
	}
}

// lastLine writes how the peer has ended.
func (h *host) lastLine() {
	l := status.Line{Kind: "ended"}
	if h.err != nil {
		l.Error = h.err.Error()
	}
	h.line(l, nil)
}

// eventLine writes an event of the node, and how many similar ones were left out before.
func (h *host) eventLine(ev runtime.Event, dropped uint64) {
	if h.events == nil {
		return
	}
	l := status.Line{Kind: ev.Kind.String(), Name: ev.Name, Round: ev.Exec.Number, Dropped: dropped}
	if !ev.Peer.IsZero() {
		l.From = h.nameOf(ev.Peer)
	}
	if ev.Module != "" {
		l.Name = ev.Module
		if ev.Name != "" {
			l.Name += "." + ev.Name
		}
	}
	if ev.Err != nil {
		l.Error = follow.Text(ev.Err, h.nameOf)
	}
	t, _ := ev.Value.(*tensor.Tensor)
	h.line(l, t)
}

// Said is the kind of lines of -events for text that a program prints: the line's name is the text.
const Said = "said"

// SaidWriter returns a writer that writes each line of a text as a line of -events of a peer.
func SaidWriter(w io.Writer, peer string) io.Writer { return &saidWriter{w: w, peer: peer} }

// saidWriter is the writer of [SaidWriter].
type saidWriter struct {
	w    io.Writer
	peer string
	rest []byte // of an incomplete line
}

// Write implements [io.Writer].
func (l *saidWriter) Write(b []byte) (int, error) {
	l.rest = append(l.rest, b...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		text, err := json.Marshal(Line{Time: time.Now(), Peer: l.peer, Kind: Said, Name: string(line)})
		if err != nil {
			return 0, err
		}
		if _, err := l.w.Write(append(text, '\n')); err != nil {
			return 0, err
		}
		l.rest = append(l.rest[:0], rest...)
	}
}
