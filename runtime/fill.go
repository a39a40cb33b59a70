package runtime

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// markInMemory records that the large payloads of an envelope are in memory with a reference count.
func markInMemory(e *wire.Envelope, m *tensor.Memory) {
	for i := range e.Fills {
		if f := &e.Fills[i]; tensor.AreLarge(len(f.Payload)) {
			f.Blob = wire.HeldIn(m, f.Payload)
		}
	}
}

// admit handles a complete envelope, except the fills that were already refused.
func (n *Node) admit(p *peer, e *wire.Envelope, refused []bool) int {
	if isUnnumbered(e) {
		n.identify(p, e)
	} else if isNew, ok := p.inbox.Take(e.Seq); !ok || !isNew {
		n.schedule(p)
		n.stats.Duplicates++
		return 0
	}
	n.schedule(p)
	n.stats.Envelopes++
	good := true
	r := p.rejections(e)
	for i := range e.Fills {
		if refused != nil && refused[i] {
			continue
		}
		if err := n.fill(p, &e.Exec, &e.Fills[i]); err != nil {
			good = n.reject(&r, &e.Fills[i], err) && good
		}
	}
	n.reportRejected(p, e, &r)
	if good {
		p.failures = 0
	} else {
		n.misbehaved(p)
	}
	return len(e.Fills)
}

// fill passes one fill to its frame.
func (n *Node) fill(p *peer, x *wire.ExecID, fill *wire.SlotFill) error {
	e, err := n.edgeOf(p, fill)
	if err != nil {
		return err
	}
	if e.Collective != nil {
		return n.fillCall(p, e, fill)
	}
	h := n.histories.of(x, n.modules[e.Module].top)
	if h == nil || h.origin != p && h.origin != n.self {
		if err := n.mayContinue(p, x, e); err != nil {
			return err
		}
	}
	f, err := n.frameOf(h, &n.modules[e.Module], x, p)
	if err != nil {
		return err
	}
	if err := f.checkFillable(e.Cut, p); err != nil {
		return err
	}
	if fill.Lost != "" {
		return n.fillLost(f, e, p, fill.Lost)
	}
	f.senders[e.Cut] = p
	switch {
	case !isFile(fill.Blob):
		err = n.hold(f, e, len(fill.Payload))
	case e.InParts:
		n.holdFile(f, int64(fill.Len()))
	default:
		err = errNotLoaded
	}
	if err != nil {
		n.lose(f, e.Cut, err) // it is not sent again
		return err
	}
	n.countFill(f, e, int64(fill.Len()))
	if err := f.body.Fill(e.Cut, fill); err != nil {
		n.lose(f, e.Cut, err)
		return err
	}
	n.arrive(f, e.Cut)
	return nil
}

// countFill counts a fill and its bytes: for the node, its edge and the trace of its execution.
func (n *Node) countFill(f *Frame, e *Edge, size int64) {
	n.stats.Fills++
	n.telemetry.Fill.Add(size)
	n.traceBytes(f, e.Cut, int(size))
	if i, ok := n.edges.Get(container.HashEdge(e.ID), e.ID); ok {
		n.flows[i].add(size)
	}
}

// frameOf returns the frame of a module in an execution. It opens the frame if there is none and never was.
func (n *Node) frameOf(h *history, m *module, x *wire.ExecID, p *peer) (*Frame, error) {
	f := h.frame(x.Number)
	if f == nil {
		if h.over(x.Number, p) {
			return nil, errOver
		}
		if err := n.mayOpen(m, x, p); err != nil {
			return nil, err
		}
		if f = n.open(&n.modules[m.top], x, p); f == nil {
			return nil, fmt.Errorf("%w: %d executions, %d of the peer's", ErrOverflow, n.ledger.Used(ledger.Frames), p.uses.Used(ledger.Frames))
		}
		if w := n.envelope.Within; w > 0 {
			f.until = n.now + int64(min(w, 1<<62))
		}
		n.begin(f)
	}
	if !m.Child {
		return f, nil
	}
	return n.child(f, m, p)
}
