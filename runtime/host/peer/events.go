package peer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/follow"
	"github.com/bbgen/bbgen/runtime/host/peer/status"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// line writes a line of -events, with a value if it is not nil.
func (h *host) line(l status.Line, value *tensor.Tensor) {
	if h.events != nil {
		l.Time, l.Peer = time.Now(), h.name()
		h.events.Line(l, value)
	}
}

// statusLine writes the status of the peer, as a line of a kind.
func (h *host) statusLine(kind string) {
	if h.events != nil {
		l := status.Line{Kind: kind, Status: h.status()}
		if h.pages != nil { // then somebody watches: a picture is larger than all other lines of a second
			l.Picture = h.picture()
		}
		h.line(l, nil)
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

// name returns the name of the peer within its program.
func (h *host) name() string { return fmt.Sprintf("%s-%d", h.program.Class, h.config.Rank) }

func (h *host) nameOf(id wire.PeerID) string {
	if l := h.links[id]; l != nil {
		return fmt.Sprintf("%s-%d", l.Class, l.Rank)
	}
	if id == h.config.Self {
		return h.name()
	}
	return id.String()
}

// tell passes an event of the node to all receivers.
func (h *host) tell(e runtime.Event) {
	h.task.follow(h, e)
	h.feed.Follow(e)
	h.calls.Follow(e)
	h.wasted(&e)
	switch e.Kind {
	case runtime.Phase:
		h.phase(e.Name)
	case runtime.Emitted:
		if h.program.Private {
			break
		}
		h.emitted(e)
		of := ""
		if e.Exec.Origin != h.config.Self {
			of = h.nameOf(e.Exec.Origin)
		}
		h.out.Value(e, of)
	case runtime.Finished:
		h.latest = max(h.latest, e.Exec.Number)
		if e.Exec.Origin == h.config.Self {
			h.round = e.Exec.Number
		}
	}
	if !h.program.Private || e.Err != nil || e.Kind != runtime.Emitted && e.Kind != runtime.Finished {
		h.write(e)
	}
	h.progress.follow(h, e)
	if h.program.Tell != nil {
		h.program.Tell(e)
	}
}

// write writes an event, unless its rate limit is exceeded.
func (h *host) write(e runtime.Event) {
	var dropped uint64
	if brought(e.Kind) {
		var ok bool
		if dropped, ok = h.logLimits.pass(complaint{e.Kind.String() + e.Name, e.Peer}, time.Now()); !ok {
			return
		}
	}
	h.logEvent(e, dropped)
	h.eventLine(e, dropped)
	h.past(e, dropped)
}

// wasted counts an event that reports a useless message of a peer.
func (h *host) wasted(e *runtime.Event) {
	if l := h.links[e.Peer]; l != nil && (e.Kind == runtime.Late || e.Kind == runtime.Refused) {
		l.waste.Note()
	}
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
