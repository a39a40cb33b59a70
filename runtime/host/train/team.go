package train

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Group is the peers that train together: each has a share of every batch. All make the
// same calls in the same order.
type Group interface {
	// Sum makes x the sum of what all have, with the same bits on each. A peer that is
	// lost is left out from then on.
	Sum(x []float32) error

	Rank() int // of this peer
	Size() int // how many there are when the training begins
}

// team is a training's part of a group. What all of them know, they know from sums, so
// that all decide alike: the gradient, the loss, who is there, and whether to stop.
type team struct {
	Group
	s       runtime.SplitSession
	members []int                   // the ranks that took part in the last sum
	vars    []runtime.Variable      // what is averaged: gradients, then statistics
	kept    []*tensor.Tensor        // the statistics before a step
	random  *tensor.Tensor          // where the random stream stands; nil if nothing is drawn
	x       []float32               // vars, loss, weight, stops, and 1 for each rank
	stops   func() bool             // whether this peer is to stop
	stop    func()                  // all are to stop
	lost    func(ranks []int) error // told who is no member any more

	averaged func(gradients []runtime.Variable) // told the means, before they are applied
}

// The numbers behind the variables in a sum, before those of the ranks.
const (
	lossAt = iota
	weightAt
	stopsAt
	scalars
)

// groupError is why peers cannot go on together. The state is that of the last step that
// all have made.
type groupError struct{ error }

func (e *groupError) Unwrap() error { return e.error }

// newTeam is a training's part of a group, with all of its peers.
func newTeam(g Group, p runtime.TrainProgram, s runtime.TrainSession) (*team, error) {
	split, ok := s.(runtime.SplitSession)
	if !ok {
		return nil, fmt.Errorf("%s: the step is whole, want one that is split to train with others: generate it with --peers", p.Name)
	}
	m := &team{Group: g, s: split, vars: split.ParameterGradients()}
	for i := range g.Size() {
		m.members = append(m.members, i)
	}
	for _, v := range s.State() {
		switch {
		case v.Kind == runtime.Buffer:
			m.vars = append(m.vars, v)
			m.kept = append(m.kept, tensor.New(v.Value.DType, v.Value.Shape...))
		case v.Name == p.Random:
			m.random = v.Value
		}
	}
	n := scalars + g.Size()
	for _, v := range m.vars {
		if v.Value.DType != tensor.Float32 {
			return nil, fmt.Errorf("%s: %s is %v, want float32 to train with others", p.Name, v.Name, v.Value.DType)
		}
		n += v.Value.Len()
	}
	m.x = make([]float32, n)
	return m, nil
}

// place is which of the members this peer is.
func (m *team) place() int { return slices.Index(m.members, m.Rank()) }

// share is this peer's part of a batch of n examples. Where the model fixes how many it
// takes, those that a lost peer would have had are left out.
func (m *team) share(n, fixed int) share {
	i, k := m.place(), len(m.members)
	if fixed > 0 {
		n = fixed * k
	}
	return share{n * i / k, n * (i + 1) / k}
}

// takes reports whether the i-th of several things is this peer's to do. A training alone
// does all.
func (m *team) takes(i int) bool { return m == nil || i%len(m.members) == m.place() }

// leads reports whether this peer speaks and writes for all. A training alone does.
func (m *team) leads() bool { return m == nil || m.members[0] == m.Rank() }

// step makes a step with this peer's share of a batch, of n examples: gradients and
// statistics are the means over all examples. If nobody hears from the others any more,
// the state is that of before the step.
func (m *team) step(n int, rate float64) (loss float64, err error) {
	statistics := m.vars[len(m.vars)-len(m.kept):]
	for i, v := range statistics {
		copy(m.kept[i].Bytes(), v.Value.Bytes())
	}
	loss, err = m.differentiate()
	if err != nil {
		return 0, err
	}
	m.write(loss, float32(n))
	if err := m.Sum(m.x); err != nil {
		for i, v := range statistics {
			copy(v.Value.Bytes(), m.kept[i].Bytes())
		}
		return 0, &groupError{err}
	}
	loss = m.read()
	if m.random != nil {
		tensor.Data[int64](m.random)[0]++
	}
	if err := m.meet(m.x[len(m.x)-scalars-m.Size():]); err != nil {
		return 0, err
	}
	m.averaged(m.vars[:len(m.vars)-len(m.kept)])
	return loss, m.s.ApplyGradients(rate)
}

// differentiate computes the gradients. Peers draw different numbers, and leave the
// stream where it was.
func (m *team) differentiate() (loss float64, err error) {
	if m.random == nil {
		return m.s.Gradients()
	}
	at := tensor.Data[int64](m.random)
	before := at[0]
	at[0] ^= runtime.Stream(uint64(m.Rank()))
	loss, err = m.s.Gradients()
	at[0] = before
	return loss, err
}

// write fills in what this peer gives to the sum: all that is averaged counts as often
// as it has examples.
func (m *team) write(loss float64, weight float32) {
	x := m.x
	for _, v := range m.vars {
		for i, g := range tensor.Data[float32](v.Value) {
			x[i] = g * weight
		}
		x = x[v.Value.Len():]
	}
	clear(x)
	x[lossAt], x[weightAt], x[scalars+m.Rank()] = float32(loss)*weight, weight, 1
	if m.stops() {
		x[stopsAt] = 1
	}
}

// read takes the means out of the sum. It returns the loss.
func (m *team) read() (loss float64) {
	x := m.x
	numbers := x[len(x)-scalars-m.Size():]
	over := 1 / numbers[weightAt]
	for _, v := range m.vars {
		to := tensor.Data[float32](v.Value)
		for i := range to {
			to[i] = x[i] * over
		}
		x = x[len(to):]
	}
	return float64(numbers[lossAt]) / float64(numbers[weightAt])
}

// meet looks at who took part in a sum, and whether somebody is to stop.
func (m *team) meet(x []float32) error {
	var there, lost []int
	for _, rank := range m.members {
		if x[scalars+rank] > 0 {
			there = append(there, rank)
		} else {
			lost = append(lost, rank)
		}
	}
	if x[stopsAt] > 0 {
		m.stop()
	}
	if m.members = there; lost != nil {
		return m.lost(lost)
	}
	return nil
}

// total makes numbers the sums of what all peers have. A training alone has them.
func (m *team) total(numbers ...*float64) error {
	if m == nil {
		return nil
	}
	x := make([]float32, scalars+m.Size()+len(numbers))
	x[scalars+m.Rank()] = 1
	own := x[scalars+m.Size():]
	for i, v := range numbers {
		own[i] = float32(*v)
	}
	if err := m.Sum(x); err != nil {
		return &groupError{err}
	}
	for i, v := range numbers {
		*v = float64(own[i])
	}
	return m.meet(x)
}

// fromLeader makes bytes those that the leader has. A number of a sum is one of them: all
// sums of bytes and zeros are exact.
func (m *team) fromLeader(b []byte) error {
	tail := scalars + m.Size()
	x := make([]float32, tail+len(b))
	x[scalars+m.Rank()] = 1
	if m.leads() {
		for i, v := range b {
			x[tail+i] = float32(v)
		}
	}
	if err := m.Sum(x); err != nil {
		return &groupError{err}
	}
	for i := range b {
		b[i] = byte(x[tail+i])
	}
	return m.meet(x[:tail])
}

var errOthers = errors.New("the peers do not train the same: want the same model, data, flags and checkpoint on all")

// same fails on all peers unless all say the same text. Each byte of its hash is the same
// on all if the sum of their squares is as small as it can be.
func (m *team) same(text string) error {
	hash := sha256.Sum256([]byte(text))
	var numbers [2 * sha256.Size]float64
	var all []*float64
	for i, b := range hash {
		numbers[2*i], numbers[2*i+1] = float64(b), float64(b)*float64(b)
		all = append(all, &numbers[2*i], &numbers[2*i+1])
	}
	if err := m.total(all...); err != nil {
		return err
	}
	for i := range hash {
		if sum, squares := numbers[2*i], numbers[2*i+1]; sum*sum != float64(len(m.members))*squares {
			return errOthers
		}
	}
	return nil
}

// agree is a context that ends for all peers after the same step: the next one after that
// of any of them has ended.
func (m *team) agree(ctx context.Context) context.Context {
	all, stop := context.WithCancel(context.WithoutCancel(ctx))
	m.stops, m.stop = func() bool { return ctx.Err() != nil }, stop
	return all
}

// ranksText is ranks for people: peer 2, 5.
func ranksText(ranks []int) string {
	return "peer " + strings.Join(strings.Fields(strings.Trim(fmt.Sprint(ranks), "[]")), ", ")
}
