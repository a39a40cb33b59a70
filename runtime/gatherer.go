package runtime

import (
	"encoding/binary"

	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Gatherer is a [Component] that gathers something during an execution, as an
// aggregator gathers contributions. What it has gathered belongs to that one:
// executions may overlap, and one that fails leaves nothing behind for the next.
//
// Both are called by the Node itself, and never while a command of the component runs.
type Gatherer interface {
	Enter(Round) // the calls that follow are of this one
	Leave(Round) // it has ended, or failed: nobody asks any more for what was gathered for it
}

// Shaped is an aggregator whose contributions are of one shape. Where a loop carries the
// aggregate from one round to the next, it is told the shape of what a round begins
// with before peers are asked. What comes in another shape is left out when it comes: it
// does not count for the quorum.
type Shaped interface {
	Expect(shape []int)
	Admit(shape []int) error
}

// Round is one execution of a module, of which a peer may run several.
type Round struct {
	Exec   wire.ExecID
	Module int // among those of the partition
}

// AppendBinary appends the fields.
func (r Round) AppendBinary(b []byte) ([]byte, error) {
	b = values.AppendPeer(b, r.Exec.Origin)
	for _, x := range [...]uint64{r.Exec.Incarnation, r.Exec.Number, uint64(r.Module)} {
		b = binary.AppendUvarint(b, x)
	}
	return b, nil
}

// ReadRound sets what [Round.AppendBinary] has written.
func ReadRound(r *Fields, x *Round) {
	r.Peer(&x.Exec.Origin)
	x.Exec.Incarnation, x.Exec.Number, x.Module = r.Uint(), r.Uint(), int(r.Uint())
}

// gatherer is a component that gathers. Where its methods are commands, it hears of
// executions when none of them runs.
type gatherer struct {
	Gatherer
	slot  int     // of the commands; -1: its methods are called in place
	ended []Round // that it has not heard of
}

// gatherers are those of the components that gather.
func gatherers(p *Partition) (list []gatherer) {
	for i, c := range p.Components {
		if g, ok := c.(Gatherer); ok {
			slot := -1
			if i < len(p.Commanded) {
				slot = p.Commanded[i]
			}
			list = append(list, gatherer{Gatherer: g, slot: slot})
		}
	}
	return list
}

// round is the execution that a frame is of, with its child frames.
func (f *Frame) round() Round { return Round{f.exec, f.module.top} }

// enterRound says that what a slot runs now is of a frame; slot -1: what blocks call.
func (n *Node) enterRound(f *Frame, slot int) {
	for i := range n.gatherers {
		if g := &n.gatherers[i]; g.slot == slot {
			g.Enter(f.round())
		}
	}
}

// leaveRound says that a frame has ended, at once or when the command has ended that runs.
func (n *Node) leaveRound(f *Frame) {
	for i := range n.gatherers {
		if g := &n.gatherers[i]; g.slot >= 0 && n.slots[g.slot].busy {
			g.ended = append(g.ended, f.round())
		} else {
			g.Leave(f.round())
		}
	}
}

// leaveRounds says which frames have ended while a command of a slot ran.
func (n *Node) leaveRounds(slot int) {
	for i := range n.gatherers {
		if g := &n.gatherers[i]; g.slot == slot {
			for _, r := range g.ended {
				g.Leave(r)
			}
			g.ended = g.ended[:0]
		}
	}
}
