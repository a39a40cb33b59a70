package runtime

import (
	"encoding/binary"

	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A Gatherer is a [Component] that gathers values during an execution, as an aggregator gathers contributions.
// They belong to that execution: executions may overlap, and a failed one leaves no values for the next.
//
// The Node calls both methods itself, and never while a command of the component runs.
type Gatherer interface {
	Enter(Round) // the following calls belong to this execution
	Leave(Round) // the execution has ended or failed: its values are not needed any more
}

// Shaped is implemented by aggregators with contributions of one shape. If a loop carries the aggregate from
// one round to the next, the aggregator gets the shape of the carried value before peers are asked. A
// contribution of another shape is left out when it arrives, and does not count for the quorum.
type Shaped interface {
	Expect(shape []int)
	Admit(shape []int) error
}

// A Round is one execution of a module. A peer may run several at once.
type Round struct {
	Exec   wire.ExecID
	Module int // its number in the partition
}

// AppendBinary appends the fields.
func (r Round) AppendBinary(b []byte) ([]byte, error) {
	b = values.AppendPeer(b, r.Exec.Origin)
	for _, x := range [...]uint64{r.Exec.Incarnation, r.Exec.Number, uint64(r.Module)} {
		b = binary.AppendUvarint(b, x)
	}
	return b, nil
}

// ReadRound reads the output of [Round.AppendBinary] into x.
func ReadRound(r *Fields, x *Round) {
	r.Peer(&x.Exec.Origin)
	x.Exec.Incarnation, x.Exec.Number, x.Module = r.Uint(), r.Uint(), int(r.Uint())
}

// gatherer is a component that gathers. If its methods are commands, it learns of ended executions while none
// of them runs.
type gatherer struct {
	Gatherer
	slot  int     // of the commands; -1: blocks call its methods
	ended []Round // ended executions that have not been reported to it
}

// gatherers returns the components of a partition that gather.
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

// round returns the execution of a frame and its child frames.
func (f *Frame) round() Round { return Round{f.exec, f.module.top} }

// enterRound calls Enter of the gatherers of a slot: the following calls belong to a frame. Slot -1 stands for calls
// by blocks.
func (n *Node) enterRound(f *Frame, slot int) {
	for i := range n.gatherers {
		if g := &n.gatherers[i]; g.slot == slot {
			g.Enter(f.round())
		}
	}
}

// leaveRound reports the end of a frame, at once or when the running command has ended.
func (n *Node) leaveRound(f *Frame) {
	for i := range n.gatherers {
		if g := &n.gatherers[i]; g.slot >= 0 && n.commands.isBusy(g.slot) {
			g.ended = append(g.ended, f.round())
		} else {
			g.Leave(f.round())
		}
	}
}

// leaveRounds reports the frames that ended while a command of a slot ran.
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
