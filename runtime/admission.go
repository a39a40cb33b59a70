package runtime

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/wire"
)

// edgeOf returns the edge of a fill, if the peer may send on it.
func (n *Node) edgeOf(p *peer, fill *wire.SlotFill) (*Edge, error) {
	id, ok := wire.ConsumeSite(fill.Suffix)
	i, found := n.edges.Get(container.HashEdge(id), id)
	if !ok || !found {
		return nil, ErrNoEdge
	}
	e := &n.partition.Edges[i]
	return e, e.check(p, fill)
}

// check returns an error unless a fill fits its edge.
func (e *Edge) check(p *peer, fill *wire.SlotFill) error {
	switch {
	case e.From != "" && !p.is(e.From):
		return fmt.Errorf("%w: from a peer of class %s, want %s", ErrEdge, p.Class, e.From)
	case fill.Lost != "":
		return e.checkLost()
	case fill.Type != e.Type:
		return fmt.Errorf("%w: type %v, want %v", ErrEdge, fill.Type, e.Type)
	case fill.Trigger != e.Trigger:
		return fmt.Errorf("%w: trigger is %v, want %v", ErrEdge, fill.Trigger, e.Trigger)
	case len(fill.Dims) != e.Dims:
		return fmt.Errorf("%w: %d dynamic dimensions, want %d", ErrEdge, len(fill.Dims), e.Dims)
	case e.Size > 0 && fill.Len() != uint64(e.Size):
		return fmt.Errorf("%w: %d bytes, want %d", ErrEdge, fill.Len(), e.Size)
	case e.Most > 0 && fill.Len() > uint64(e.Most):
		return fmt.Errorf("%w: %d bytes, want at most %d", ErrEdge, fill.Len(), e.Most)
	}
	return nil
}

// mayContinue returns an error if a peer may not continue an execution on an edge.
func (n *Node) mayContinue(p *peer, x *wire.ExecID, e *Edge) error {
	if x.Origin == p.id || x.Origin == n.self.id || n.mayCarry(e, x.Origin) {
		return nil
	}
	return fmt.Errorf("%w: it is of %v", ErrOrigin, x.Origin)
}

// mayCarry reports whether executions of a third peer may come on an edge. Executions of an unknown origin may,
// if those of some other class may.
func (n *Node) mayCarry(e *Edge, origin wire.PeerID) bool {
	p := n.peer(origin)
	return slices.ContainsFunc(e.Origins, func(class string) bool { return p == nil || p.is(class) })
}

// checkBulk returns the edge of a bulk fill, or an error if the fill may not come, as far as that can be checked
// without its payload.
func (n *Node) checkBulk(p *peer, x wire.ExecID, fill *wire.SlotFill) (*Edge, error) {
	e, err := n.edgeOf(p, fill)
	if err != nil || e.Collective != nil {
		return e, err
	}
	return e, n.mayFill(p, &x, e)
}

// mayFill returns an error if the cut point of an edge accepts no fill of a peer in an execution.
func (n *Node) mayFill(p *peer, x *wire.ExecID, e *Edge) error {
	if err := n.mayContinue(p, x, e); err != nil {
		return err
	}
	m := &n.modules[e.Module]
	h := n.histories.of(x, m.top)
	f := h.frame(x.Number)
	switch {
	case f == nil && h.over(x.Number, p):
		return errOver
	case f == nil:
		return n.mayOpen(m, x, p)
	}
	if m.Child {
		g := f.gather(m.ParentCut)
		c := g.of(p)
		switch {
		case c == nil && f.settled(g.cut):
			return ErrLate
		case c == nil && g.Armed && !g.Asks(p.index):
			return ErrNotAsked
		case c == nil:
			return nil
		}
		f = c
	}
	return f.checkFillable(e.Cut, p)
}

// checkFillable returns an error if a cut point accepts no more fills.
func (f *Frame) checkFillable(cut int, p *peer) error {
	switch settled := f.settled(cut); {
	case settled && f.senders[cut] == p:
		return errDuplicate
	case settled || f.ended:
		return ErrLate
	}
	return nil
}

// mayOpen returns an error if the fill of a peer may not open an execution. For its own executions the Node
// knows which ones it has begun, in earlier incarnations, too.
func (n *Node) mayOpen(m *module, x *wire.ExecID, p *peer) error {
	own := x.Origin == n.self.id && p != n.self
	switch {
	case n.phase > phaseRunning:
		return errNotRunning
	case own && n.begun.IsFuture(x):
		return fmt.Errorf("%w: %v", ErrNotBegun, *x)
	case own && n.begun.IsLost(x):
		return fmt.Errorf("%w: it is of an earlier incarnation of this peer, which kept nothing of it", ErrLate)
	case x.Origin == p.id && p != n.self && x.Incarnation > p.incarnation:
		return fmt.Errorf("%w: %v, the peer's incarnation is %d", ErrNotBegun, *x, p.incarnation)
	case n.completes(&n.modules[m.top], x.Origin):
		return nil
	case own:
		return errOver
	}
	return fmt.Errorf("%w: %s", ErrNotOpen, n.modules[m.top].Name)
}

// A fill may open a frame only if all blocks of the frame can run. Such a frame never gets inputs of Invoke or
// values that begin a module by themselves, nor values that no peer sends in executions of that origin. Without
// this check the frame would wait for ever.

// unknownClass stands for the class of an origin that is not admitted here.
const unknownClass = "\x00"

// completes reports whether the executions of an origin that a fill opens here can end.
func (n *Node) completes(m *module, origin wire.PeerID) bool {
	class := ""
	if p := n.peer(origin); p == nil {
		class = unknownClass
	} else if p != n.self {
		class = p.Class
	}
	if can, ok := m.completes[class]; ok {
		return can
	}
	can := m.opensByFill() && n.runsAll(m, origin)
	m.completes[class] = can
	return can
}

// opensByFill reports whether only fills begin executions of a module.
func (m *module) opensByFill() bool {
	return !m.Start && m.Every == 0 && len(m.On) == 0 && !m.Bootstrap
}

// runsAll reports whether each block of a module may run in executions of an origin that a fill has opened.
func (n *Node) runsAll(m *module, origin wire.PeerID) bool {
	come := container.NewBitset(len(m.Cuts))
	for c := range m.Cuts {
		switch m.Cuts[c].Kind {
		case InputCut:
		case FillCut:
			if n.fillable(m, c, origin) {
				come.Add(c)
			}
		default:
			if !m.isStarted(c) {
				come.Add(c)
			}
		}
	}
	ran, left := container.NewBitset(len(m.blocks)), len(m.blocks)
	for more := true; more; {
		more = false
		for b := range m.blocks {
			blk := &m.blocks[b]
			if ran.Has(b) || !blk.runsWith(&come) {
				continue
			}
			ran.Add(b)
			left--
			more = true
			for _, c := range blk.starts {
				come.Add(c)
			}
		}
	}
	return left == 0
}

// fillable reports whether some peer may fill a cut point in executions of an origin.
func (n *Node) fillable(m *module, cut int, origin wire.PeerID) bool {
	p := n.peer(origin)
	for i := range n.partition.Edges {
		e := &n.partition.Edges[i]
		if !e.Receives || e.Module != m.index || e.Cut != cut {
			continue
		}
		if p == n.self || e.From == "" || p != nil && p.is(e.From) || n.mayCarry(e, origin) {
			return true
		}
	}
	return false
}

// isStarted reports whether a block starts a cut point.
func (m *module) isStarted(cut int) bool {
	for b := range m.blocks {
		for _, c := range m.blocks[b].starts {
			if c == cut {
				return true
			}
		}
	}
	return false
}

// runsWith reports whether a block may run when the cut points in the set come have their values.
func (b *block) runsWith(come *container.Bitset) bool {
	if !b.Any {
		return come.Covers(&b.wait)
	}
	for i := range come.Width() {
		if come.Has(i) && b.wait.Has(i) {
			return true
		}
	}
	return false
}
