package runtime

import (
	"encoding/binary"

	"github.com/bbgen/bbgen/runtime/wire"
)

// Gatherer is a [Component] that gathers something during an execution, as an
// aggregator gathers contributions. What it has gathered belongs to that one:
// executions may overlap, and one that fails leaves nothing behind for the next.
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
	b = AppendPeer(b, r.Exec.Origin)
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

// gatherers are those of the components that gather.
func gatherers(components []Component) (list []Gatherer) {
	for _, c := range components {
		if g, ok := c.(Gatherer); ok {
			list = append(list, g)
		}
	}
	return list
}

// round is the execution that a frame is of, with its child frames.
func (f *Frame) round() Round { return Round{f.exec, f.module.top} }

// enterRound says that what is called now is of a frame.
func (n *Node) enterRound(f *Frame) {
	for _, g := range n.gatherers {
		g.Enter(f.round())
	}
}

// leaveRound says that a frame has ended.
func (n *Node) leaveRound(f *Frame) {
	for _, g := range n.gatherers {
		g.Leave(f.round())
	}
}
