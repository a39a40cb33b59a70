package runtime

import (
	"encoding/binary"
	"slices"

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
// one round to the next, or a value that it is added to or combined with elementwise, the aggregator gets the
// shape of the carried value before peers are asked: otherwise Expect is not called. A contribution for which
// Admit returns an error is left out when it arrives, and does not count for the quorum. The same holds for an
// error of the aggregator's Contribute. An error of its Aggregate fails the round.
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

// Read sets r to the output of [Round.AppendBinary].
func (r *Round) Read(from *values.Fields) {
	from.Peer(&r.Exec.Origin)
	r.Exec.Incarnation, r.Exec.Number, r.Module = from.Uint(), from.Uint(), int(from.Uint())
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

// fold is the contributions to a GatherCut that a command takes. Each command has its own: several may take
// those of one gather at the same time.
type fold struct {
	gather   int
	children []*Frame  // the contributions
	refused  []refusal // those that the command has refused
}

// refusal is a contribution that a command has refused, and the reason.
type refusal struct {
	from *peer
	why  error
}

// Contributed records the contributions to a GatherCut, for a command that is about to run and takes them with
// [Fold].
func (f *Frame) Contributed(command, gather int) {
	if f.folds == nil {
		f.folds = make([][]fold, len(f.module.Cuts)) // a list that does not move while commands run
	}
	l := f.fold(command, gather)
	if l == nil {
		f.folds[command] = append(f.folds[command], fold{gather: gather})
		l = f.fold(command, gather)
	}
	l.children, l.refused = l.children[:0], l.refused[:0]
	for _, c := range f.gather(gather).children {
		if c.ended && !c.broken {
			l.children = append(l.children, c)
		}
	}
}

func (f *Frame) fold(command, gather int) *fold {
	list := f.folds[command]
	i := slices.IndexFunc(list, func(l fold) bool { return l.gather == gather })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// Fold calls take with each contribution to a GatherCut, in the order of the peers' classes and ranks.
// Contributions that take refuses are left out of the gather when the command has ended: see [Engine.LeaveOut].
func (f *Frame) Fold(command, gather int, take func(Body) error) {
	l := f.fold(command, gather)
	for _, c := range l.children {
		if err := take(c.body); err != nil {
			l.refused = append(l.refused, refusal{c.from, err})
		}
	}
}

// forgetFolds removes the contributions that a command has taken. The frame keeps the memory of the list.
func (f *Frame) forgetFolds(command int) {
	for i := range f.folds[command] {
		l := &f.folds[command][i]
		clear(l.children)
		clear(l.refused)
		l.children, l.refused = l.children[:0], l.refused[:0]
	}
}
