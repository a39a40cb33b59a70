package train

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Group is the peers that train together: each has a share of every batch. All make the
// same calls in the same order.
type Group interface {
	// Sum makes x the sum of what all have, with the same bits on each. A peer that is
	// lost is left out from then on.
	Sum(x []float32) error

	// SumAs is Sum on one of several lanes, which do not wait for each other, of what is sent
	// as a codec does. In each step a lane has values of the same size; what one loses by the
	// codec is added to the next one of its lane.
	SumAs(c collective.Codec, lane int, x []float32) error

	// Enter begins a step. If this peer begins again, or later than the others, it joins
	// them: s is set to what another one's is. All calls of a step come behind it.
	Enter(s Shared) (joined bool, err error)

	Rank() int // of this peer
	Size() int // how many there are when the training begins
}

// Lanes is how many there are for sums that are under way at once.
const Lanes = 8

// team is a training's part of a group. What all of them know, they know from sums, so
// that all decide alike: the gradient, the loss, who is there, and whether to stop.
type team struct {
	Group
	s       runtime.SplitSession
	members []int                   // the ranks that took part in the last sum
	random  *tensor.Tensor          // where the random stream stands; nil if nothing is drawn
	stops   func() bool             // whether this peer is to stop
	stop    func()                  // all are to stop
	lost    func(ranks []int) error // told who is no member any more
	joined  func(ranks []int)       // told who is one again
	guest   bool                    // this peer has joined in the step at hand, and has no examples

	gradients, statistics []runtime.Variable // what is averaged
	kept                  []*tensor.Tensor   // the statistics before a step
	buckets               []*bucket          // that they are summed in
	bucketBytes           int                // of gradients in one
	codec                 collective.Codec   // how gradients are sent
	cost                  cost               // of the last step

	averaged func(gradients []runtime.Variable) // told the means, before they are applied
}

// The numbers behind the variables in a sum, before those of the ranks.
const (
	weightAt = iota
	lossAt
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
	m := &team{Group: g, s: split, gradients: split.ParameterGradients()}
	for i := range g.Size() {
		m.members = append(m.members, i)
	}
	for _, v := range s.State() {
		switch {
		case v.Kind == runtime.Buffer:
			m.statistics = append(m.statistics, v)
			m.kept = append(m.kept, tensor.New(v.Value.DType, v.Value.Shape...))
		case v.Name == p.Random:
			m.random = v.Value
		}
	}
	for _, v := range slices.Concat(m.gradients, m.statistics) {
		if v.Value.DType != tensor.Float32 {
			return nil, fmt.Errorf("%s: %s is %v, want float32 to train with others", p.Name, v.Name, v.Value.DType)
		}
	}
	return m, nil
}

// place is which of the members this peer is.
func (m *team) place() int { return slices.Index(m.members, m.Rank()) }

// share is this peer's part of a batch of n examples. Where the model fixes how many it
// takes, those that a lost peer would have had are left out.
func (m *team) share(n, fixed int) share {
	i, k := max(m.place(), 0), len(m.members) // a guest computes what counts for nothing
	n = m.whole(n, fixed)
	return share{n * i / k, n * (i + 1) / k}
}

// whole is how many examples all members have of a batch of n.
func (m *team) whole(n, fixed int) int {
	if fixed > 0 {
		return fixed * len(m.members)
	}
	return n
}

// takes reports whether the i-th of several things is this peer's to do. A training alone
// does all.
func (m *team) takes(i int) bool { return m == nil || i%len(m.members) == m.place() }

// leads reports whether this peer speaks and writes for all. A training alone does.
func (m *team) leads() bool { return m == nil || m.members[0] == m.Rank() }

// step makes a step with this peer's share of a batch, n examples of so many: gradients and
// statistics are the means over all examples. If nobody hears from the others any more,
// the state is that of before the step.
func (m *team) step(n, of int, rate float64) (loss float64, err error) {
	for i, v := range m.statistics {
		copy(m.kept[i].Bytes(), v.Value.Bytes())
	}
	if m.guest {
		n = 0
	}
	e := m.exchange(n, of)
	if loss, err = m.differentiate(e.ready); err == nil {
		e.rest(loss)
	}
	numbers, lost := e.wait()
	if err != nil {
		return 0, err
	}
	if lost != nil {
		for i, v := range m.statistics {
			copy(v.Value.Bytes(), m.kept[i].Bytes())
		}
		return 0, &groupError{lost}
	}
	if m.random != nil {
		tensor.Data[int64](m.random)[0]++
	}
	if err := m.meet(numbers); err != nil {
		return 0, err
	}
	m.guest = false
	m.averaged(m.gradients)
	return float64(numbers[lossAt]) / float64(numbers[weightAt]), m.s.ApplyGradients(rate)
}

// differentiate computes the gradients, and tells ready which are complete meanwhile. Peers
// draw different numbers, and leave the stream where it was.
func (m *team) differentiate(ready func(i int)) (loss float64, err error) {
	if m.random == nil {
		return m.gradientsReady(ready)
	}
	at := tensor.Data[int64](m.random)
	before := at[0]
	at[0] ^= runtime.Stream(uint64(m.Rank()))
	loss, err = m.gradientsReady(ready)
	at[0] = before
	return loss, err
}

// gradientsReady is that of a session that tells, and Gradients of another.
func (m *team) gradientsReady(ready func(i int)) (loss float64, err error) {
	if s, tells := m.s.(runtime.ReadySession); tells {
		return s.GradientsReady(ready)
	}
	return m.s.Gradients()
}

// meet looks at who took part in a sum, and whether somebody is to stop. Who has joined comes
// behind those who were there, so that the one that leads stays the same.
func (m *team) meet(x []float32) error {
	var there, lost, came []int
	for _, rank := range m.members {
		if x[scalars+rank] > 0 {
			there = append(there, rank)
		} else {
			lost = append(lost, rank)
		}
	}
	for rank := range m.Size() {
		if x[scalars+rank] > 0 && !slices.Contains(m.members, rank) {
			came = append(came, rank)
		}
	}
	if x[stopsAt] > 0 {
		m.stop()
	}
	m.members = append(there, came...)
	if came != nil {
		m.joined(came)
	}
	if lost != nil {
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
