package train

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// A Group is the peers that train together. Each has a share of every batch. All peers make the same calls in
// the same order.
type Group interface {
	// Sum sets x to the sum of all peers' values, with the same bits on each. A lost peer is left out from then
	// on.
	Sum(x []float32) error

	// SumAs sums all peers' addends with the codec c, on one of [Lanes] lanes, which do not wait for each other. In
	// each step a lane sums addends of the same length. The rounding error of the codec is added to the next one on the
	// same lane.
	SumAs(c collective.Codec, lane int, x Addend) error

	// Gather returns the values of all peers, one after the other, the same on each. All have as many. A lost peer is
	// left out from then on.
	Gather(x []float32) ([]float32, error)

	// Enter begins a step. If this peer has restarted, or begins later than the others, it joins them, and s is
	// set to the state of another one. It precedes all other calls of a step.
	Enter(s Shared) (joined bool, err error)

	Rank() int // of this peer
	Size() int // the number of peers when the training begins
}

// An Addend is a peer's part of a sum, which the group computes in memory of its own: so gradients are copied only there
// and back.
type Addend struct {
	Len   int                 // the number of elements
	Write func(x []float32)   // sets all elements of x to those of this peer
	Read  func(sum []float32) // takes the sum, which it must not change or keep; not called if there is none
}

// InPlace returns the addend x, which becomes the sum.
func InPlace(x []float32) Addend {
	return Addend{len(x), func(to []float32) { copy(to, x) }, func(sum []float32) { copy(x, sum) }}
}

// Lanes is the number of lanes for concurrent sums.
const Lanes = 8

// team is a training's part of a group. Everything that all peers must decide alike comes from sums: the
// gradient, the loss, the members, and whether to stop.
type team struct {
	Group
	s          model.SplitSession
	members    []int                   // the ranks in the last sum
	random     *tensor.Tensor          // the state of the random stream; nil if no random numbers are drawn
	shouldStop func() bool             // reports whether this peer is to stop
	stopAll    func()                  // stops all peers
	lost       func(ranks []int) error // called with ranks that are not members any more
	joined     func(ranks []int)       // called with ranks that are members again
	justJoined bool                    // this peer has joined in the present step, and has no examples

	gradients, statistics []model.Variable // the averaged variables
	kept                  []*tensor.Tensor // the statistics before the step
	buckets               []*bucket        // reused in each step
	bucketBytes           int              // the size in bytes of a bucket's gradients
	codec                 collective.Codec // for sending gradients
	cost                  cost             // of the last step

	shards    *sharding              // nil: each peer keeps the whole state of the optimizer
	isUpdate  func() bool            // whether the present step updates the weights
	stateLost func(weights []string) // called with weights whose state of the optimizer is lost

	onMeans func(gradients []model.Variable) // called with the means before they are applied
}

// The indices of the numbers that follow the variables in a sum. The numbers by rank follow them.
const (
	weightAt = iota
	lossAt
	stopsAt
	scalars
)

// groupError is the error of peers that cannot continue together. The state is that of the last step that all
// of them have completed.
type groupError struct{ error }

func (e *groupError) Unwrap() error { return e.error }

// formTeam makes the team of a training with other peers, which tells the training what happens to it.
func (t *trainer) formTeam() (err error) {
	g := t.opt.Group
	if g == nil {
		return nil
	}
	team, err := newTeam(g, t.p, t.s)
	if err != nil {
		return err
	}
	t.team, team.codec = team, t.opt.Codec
	team.bucketBytes = cmp.Or(t.opt.bucketBytes, bucketBytesOf(team.gradients, t.opt.Codec))
	if t.opt.ShardOptimizer {
		if team.shards, err = newSharding(t.p, t.s, g.Rank(), t.opt.ShardReplicas); err != nil {
			return err
		}
	}
	team.isUpdate = func() bool { return (t.Step+1)%max(t.p.Accumulate, 1) == 0 }
	team.onMeans = t.noteGradients
	team.stateLost = func(weights []string) {
		t.printLine(fmt.Sprintf("step %d: no peer is left that kept the optimizer's state of %s: it begins anew", t.Step+1, strings.Join(weights, ", ")))
	}
	team.lost = func(ranks []int) error {
		t.printLine(fmt.Sprintf("step %d: lost %s; %d go on", t.Step+1, ranksText(ranks), len(team.members)))
		return t.takeOver()
	}
	team.joined = func(ranks []int) {
		t.printLine(fmt.Sprintf("step %d: %s joins; %d go on", t.Step+1, ranksText(ranks), len(team.members)))
	}
	return nil
}

// newTeam returns a training's part of a group, in which all peers of the group are members.
func newTeam(g Group, p model.TrainProgram, s model.TrainSession) (*team, error) {
	split, ok := s.(model.SplitSession)
	if !ok {
		return nil, fmt.Errorf("%s: the step is whole, want one that is split to train with others: generate it with --peers", sourceOf(p))
	}
	m := &team{Group: g, s: split, gradients: split.ParameterGradients()}
	for i := range g.Size() {
		m.members = append(m.members, i)
	}
	for _, v := range s.State() {
		switch {
		case v.Kind == model.Buffer:
			m.statistics = append(m.statistics, v)
			m.kept = append(m.kept, tensor.New(v.Value.DType, v.Value.Shape...))
		case v.Name == p.Random:
			m.random = v.Value
		}
	}
	for _, v := range slices.Concat(m.gradients, m.statistics) {
		if v.Value.DType != tensor.Float32 {
			return nil, fmt.Errorf("%s: %s is %v, want float32 to train with others", sourceOf(p), v.Name, v.Value.DType)
		}
	}
	return m, nil
}

// common returns the variables that each peer has: without the state of the optimizer, if it is divided.
func (m *team) common() []model.Variable {
	list := m.s.State()
	if m.shards != nil {
		list = slices.DeleteFunc(list, func(v model.Variable) bool { return v.Of != "" })
	}
	return list
}

// position returns the index of this peer among the members.
func (m *team) position() int { return slices.Index(m.members, m.Rank()) }

// share returns this peer's part of a batch of n examples. If the model has a fixed batch size, the examples of
// lost peers are left out.
func (m *team) share(n, fixed int) share {
	i, k := max(m.position(), 0), len(m.members) // the result of a guest does not count
	n = m.whole(n, fixed)
	return share{n * i / k, n * (i + 1) / k}
}

// whole returns how many examples all members have of a batch of n.
func (m *team) whole(n, fixed int) int {
	if fixed > 0 {
		return fixed * len(m.members)
	}
	return n
}

// handles reports whether this peer handles the i-th of several items. A single training handles all.
func (m *team) handles(i int) bool { return m == nil || i%len(m.members) == m.position() }

// isLeader reports whether this peer prints and writes files. A single training does.
func (m *team) isLeader() bool { return m == nil || m.members[0] == m.Rank() }

// step makes a step with this peer's share of a batch: n of all examples. Gradients and statistics become the
// means over all examples. If the peers cannot continue, the state of before the step is restored.
func (m *team) step(n, of int, rate float64) (loss float64, err error) {
	for i, v := range m.statistics {
		copy(m.kept[i].Bytes(), v.Value.Bytes())
	}
	if m.justJoined {
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
	if err := m.updateMembers(numbers); err != nil {
		return 0, err
	}
	m.justJoined = false
	m.onMeans(m.gradients)
	return float64(numbers[lossAt]) / float64(numbers[weightAt]), m.update(rate)
}

// differentiate computes the gradients and calls ready for each that is complete. Each peer draws its own
// random numbers; then the state of the random stream is restored.
func (m *team) differentiate(ready func(i int)) (loss float64, err error) {
	if m.random == nil {
		return m.gradientsReady(ready)
	}
	at := tensor.Data[int64](m.random)
	before := at[0]
	at[0] ^= model.Stream(uint64(m.Rank()))
	loss, err = m.gradientsReady(ready)
	at[0] = before
	return loss, err
}

// gradientsReady calls GradientsReady or Gradients of the session.
func (m *team) gradientsReady(ready func(i int)) (loss float64, err error) {
	if s, tells := m.s.(model.ReadySession); tells {
		return s.GradientsReady(ready)
	}
	return m.s.Gradients()
}

// updateMembers updates the members from the numbers by rank in a sum, and stops the training if a peer asks for that.
// Ranks that have joined are appended, so that the leader does not change.
func (m *team) updateMembers(x []float32) error {
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
		m.stopAll()
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

// total sets numbers to their sums over all peers. A single training leaves them unchanged.
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
	return m.updateMembers(x)
}

// copyFromLeader sets bytes to those of the leader. Each byte is a number of a sum: sums of bytes and zeros are
// exact.
func (m *team) copyFromLeader(b []byte) error {
	tail := scalars + m.Size()
	x := make([]float32, tail+len(b))
	x[scalars+m.Rank()] = 1
	if m.isLeader() {
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
	return m.updateMembers(x[:tail])
}

var errDifferent = errors.New("the trainings of the peers differ: want the same model, data, flags and checkpoint on all")

// same returns an error on all peers unless all have the same text. Each digit of its hash is the same on all if
// the sum of squares is minimal. The sums are exact for tens of thousands of peers, as digits have four bits.
func (m *team) same(text string) error {
	hash := sha256.Sum256([]byte(text))
	var sums, squares [2 * sha256.Size]float64
	var all []*float64
	for i := range sums {
		digit := float64(hash[i/2] >> (i % 2 * 4) & 15)
		sums[i], squares[i] = digit, digit*digit
		all = append(all, &sums[i], &squares[i])
	}
	if err := m.total(all...); err != nil {
		return err
	}
	for i := range sums {
		if sums[i]*sums[i] != float64(len(m.members))*squares[i] {
			return errDifferent
		}
	}
	return nil
}

// errNotBegun is the error of a peer that could begin, where another one cannot.
var errNotBegun = errors.New("another peer cannot begin the training, and says why")

// agreeToBegin returns an error on all peers if one cannot begin: this peer's error, or that there is another one. Without
// that, the others would continue without the peer.
func (m *team) agreeToBegin(err error) error {
	failed := 0.0
	if err != nil {
		failed = 1
	}
	lost := m.total(&failed)
	if err == nil && lost == nil && failed > 0 {
		return errNotBegun
	}
	return cmp.Or(err, lost)
}

// agree returns a context that ends for all peers after the same step: the next one after the context of any
// peer has ended.
func (m *team) agree(ctx context.Context) context.Context {
	all, stop := context.WithCancel(context.WithoutCancel(ctx))
	m.shouldStop, m.stopAll = func() bool { return ctx.Err() != nil }, stop
	return all
}

// ranksText returns ranks as text for users: peer 2, 5.
func ranksText(ranks []int) string {
	return "peer " + strings.Join(strings.Fields(strings.Trim(fmt.Sprint(ranks), "[]")), ", ")
}
