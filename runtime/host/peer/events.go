package peer

import (
	"fmt"
	"time"

	"github.com/bbgen/bbgen/runtime"
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
		l.Error = ev.Err.Error()
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
