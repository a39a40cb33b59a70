package runtime

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/values"
)

// shifted returns a copy of a collective of a partition whose components are shifted by n.
func (x *Collective) shifted(n int) *Collective {
	if x == nil || len(x.State) == 0 {
		return x
	}
	y := *x
	y.State = slices.Clone(x.State)
	for i := range y.State {
		y.State[i] += n
	}
	return &y
}

// enterState returns the contribution to a call of [collective.Enter]: nothing as long as no peer joins; otherwise
// what writes the state, on the peer that must give it.
func (n *Node) enterState(c *communicator, x *Collective, step []byte) (v collective.Value) {
	if c.group.NeedsState() {
		v.State = func() ([]byte, error) { return n.stateFrom(x, step) }
	}
	return v
}

// stateFrom returns a step, and the state of components.
func (n *Node) stateFrom(x *Collective, step []byte) ([]byte, error) {
	b := append(binary.AppendUvarint(nil, uint64(len(step))), step...)
	for _, i := range x.State {
		part, err := n.partition.Components[i].AppendBinary(nil)
		if err != nil {
			return nil, fmt.Errorf("the state of component %d, for a peer that joins: %w", i, err)
		}
		b = append(binary.AppendUvarint(b, uint64(len(part))), part...)
	}
	return b, nil
}

// enterStep returns the step at which a peer enters: its own step, or, if it has joined, the step of the peer
// whose state it takes.
func (n *Node) enterStep(c *communicator, r *collective.Result, own []byte) ([]byte, error) {
	if r.Data == nil {
		return own, nil
	}
	x := n.partition.Edges[c.edges[r.Stream]].Collective
	step, rest, err := cutState(r.Data)
	for _, i := range x.State {
		var part []byte
		if err == nil {
			part, rest, err = cutState(rest)
		}
		if err == nil {
			err = n.partition.Components[i].UnmarshalBinary(part)
		}
	}
	if err == nil && (len(step) != len(own) || len(rest) > 0) {
		err = fmt.Errorf("a step of %d bytes, want %d, and %d bytes too many", len(step), len(own), len(rest))
	}
	if err != nil {
		return nil, fmt.Errorf("the state that a peer gives to this one, which joins: %w", err)
	}
	return step, nil
}

// cutState splits off the next part of a state.
func cutState(b []byte) (part, rest []byte, err error) {
	size, n := binary.Uvarint(b)
	if n <= 0 || size > uint64(len(b)-n) {
		return nil, nil, values.ErrEnd
	}
	end := n + int(size)
	return b[n:end], b[end:], nil
}
