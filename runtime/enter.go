package runtime

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/values"
)

// behind is a collective of a partition whose components stand behind n others.
func (x *Collective) behind(n int) *Collective {
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

// isMember reports whether a rank takes part in the present epoch.
func (c *communicator) isMember(rank int) bool { return slices.Contains(c.group.Members(), rank) }

// beganAgain has the groups of a peer go on without it, until it has joined: it has begun
// again without its past. What was for that must not reach it.
func (n *Node) beganAgain(p *peer) {
	for _, c := range n.communicators {
		if c.group == nil || !c.group.Joins() { // it gives what it gave before, if it has given anything
			continue
		}
		if rank := slices.Index(c.peers, p); rank >= 0 {
			n.withdrawCallsTo(p)
			c.group.Forgot(rank)
		}
	}
}

// stateOf is what a call of [collective.Enter] gives: nothing, as long as nobody joins;
// else the step, and the state of components.
func (n *Node) stateOf(c *communicator, x *Collective, step []byte) (v collective.Value, err error) {
	if !c.group.Wants() {
		return v, nil
	}
	b := append(binary.AppendUvarint(nil, uint64(len(step))), step...)
	for _, i := range x.State {
		part, err := n.partition.Components[i].AppendBinary(nil)
		if err != nil {
			return v, fmt.Errorf("the state of component %d, for a peer that joins: %w", i, err)
		}
		b = append(binary.AppendUvarint(b, uint64(len(part))), part...)
	}
	return collective.Value{Rows: len(b), Row: 1, Data: b}, nil
}

// entered is the step at which a peer enters: its own, unless it has joined and is given
// that of another one, whose state it takes.
func (n *Node) entered(c *communicator, r *collective.Result, own []byte) ([]byte, error) {
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

// cutState cuts the next part off a state.
func cutState(b []byte) (part, rest []byte, err error) {
	size, n := binary.Uvarint(b)
	if n <= 0 || size > uint64(len(b)-n) {
		return nil, nil, values.ErrEnd
	}
	end := n + int(size)
	return b[n:end], b[end:], nil
}
