package mem

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/wire"
)

// fetch transfers a bulk payload, which takes a request, an answer and the time of its bytes. As on a stream no
// part is lost unless the channel breaks: blocked transfers are tried again.
func (w *Network) fetch(to, from *host, b wire.Bulk) {
	l := w.link(to, from)
	id, node := l.id, to.node
	var try func()
	try = func() {
		if !l.open || l.id != id || to.node != node || from.node == nil {
			return // the envelope comes again on the next channel
		}
		if w.isCut(from, to) || w.isCut(to, from) {
			to.plan(w.now+w.delay()+1, try)
			return
		}
		data := from.node.Bulk(to.config.Self, b.ID)
		switch {
		case data == nil: // it is about to be sent again, or the peer is blocked by now
			to.plan(w.now+w.delay()+1, try)
			return
		case data.Size() == b.Size && data.CRC() == b.CRC:
		case w.Forge != nil: // a lying peer does not have it
			l.breakUp()
			return
		default:
			w.fail(to, fmt.Errorf("bulk %d of %v: got %d bytes of sum %08x, want %d of %08x", b.ID, from.config.Self, data.Size(), data.CRC(), b.Size, b.CRC))
			return
		}
		node.Filled(to.clock(), from.config.Self, b, to.received(data))
		to.pump()
	}
	to.plan(w.now+2*w.delay()+int64(b.Size)*w.config.ByteTime, try)
}

// loadValue reads a received value from the virtual disk, which takes as long as a command.
func (h *host) loadValue(from wire.PeerID, file wire.Blob) {
	node := h.node
	value, err := wire.Loaded(file)
	file.Release() // at once: the end of a load that nobody needs any more is not awaited
	if err != nil {
		h.w.fail(h, err)
		return
	}
	h.plan(h.w.now+h.w.config.Command+h.w.upTo(h.w.config.Command), func() {
		if h.node == node {
			node.Loaded(h.clock(), from, file, value)
			h.pump()
		}
	})
}
