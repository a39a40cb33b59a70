package gossip

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/sampling"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// PushSum implements the role Protocol of a gossiping peer. It has a share of a sum and of a weight, and gives
// half of both away in each period. No part is lost, and the quotient converges to the mean on all peers. A
// peer without a value passes on the shares of others.
//
// The share of a peer that dies is lost, and the mean becomes one of the others with other weights. With Epochs
// gossip restarts periodically with the values of the remaining peers.
//
// A share that no peers with such values can have is refused, and changes nothing. Any other share is believed: a peer that
// lies can change the mean, but not make it infinite.
type PushSum struct {
	Size   int     // of the vector; 0: 1
	Epochs int     // periods after which it restarts; 0: never
	Max    float64 // the maximum absolute value of an element of a value; 0: 1e100

	Others *sampling.Shuffle // the protocol that knows other peers, set with Needs

	value  []float64 // the peer's own; nil before it is set
	share  share     // of the epoch
	past   []float64 // the mean at the end of the last epoch; nil before
	period int64     // of the epoch
}

// share is a peer's share of the total.
type share struct {
	epoch  int64
	weight float64
	sum    []float64
}

const (
	maxSize  = 1 << 24 // elements of a vector
	maxPeers = 1 << 20 // whose values are in a share
	maxMax   = 1e280   // of Max: no number of shares makes a sum infinite
	maxEpoch = 1 << 53 // above it, a float64 does not count on
	maxAhead = 1 << 20 // epochs by which another peer is ahead, if this one is new: so nobody uses up the numbers

	leastWeight = 0x1p-900 // of a share that is divided: half of it is as precise
)

// Open checks the configuration.
func (p *PushSum) Open(runtime.Env) error {
	if p.Size < 0 || p.Size > maxSize || p.Epochs < 0 {
		return fmt.Errorf("gossip.PushSum: Size is %d and Epochs %d, want 0 or more, and a Size of at most %d", p.Size, p.Epochs, maxSize)
	}
	if !(p.Max >= 0 && p.Max <= maxMax) {
		return fmt.Errorf("gossip.PushSum: Max is %v, want 0 to %v", p.Max, maxMax)
	}
	p.share.sum = make([]float64, p.size())
	return nil
}

func (p *PushSum) size() int { return max(p.Size, 1) }

func (p *PushSum) max() float64 { return cmp.Or(p.Max, 1e100) }

// beyond returns the index of an element that is not finite, or larger than most; -1 if there is none.
func beyond(x []float64, most float64) int {
	return slices.IndexFunc(x, func(v float64) bool { return !(math.Abs(v) <= most) })
}

// Set sets the peer's value.
func (p *PushSum) Set(x tensor.Dense[float64]) error {
	if len(x.Data) != p.size() {
		return fmt.Errorf("a value of %d elements, want %d", len(x.Data), p.size())
	}
	if i := beyond(x.Data, p.max()); i >= 0 {
		return fmt.Errorf("element %d is %v, want at most Max, %v", i, x.Data[i], p.max())
	}
	if p.value == nil {
		p.value = make([]float64, p.size())
		p.share.weight++
	}
	for i, v := range x.Data {
		p.share.sum[i] += v - p.value[i]
		p.value[i] = v
	}
	return nil
}

// Estimate returns the estimated mean: the result of the last epoch, or the present one in the first epoch. It
// is NaN as long as nothing is known.
func (p *PushSum) Estimate() (tensor.Dense[float64], error) {
	x := p.past
	if x == nil {
		x = p.share.mean()
	}
	return tensor.DenseOf(slices.Clone(x), len(x)), nil
}

// mean returns the quotient of a share.
func (s *share) mean() []float64 {
	out := make([]float64, len(s.sum))
	for i, v := range s.sum {
		out[i] = math.NaN()
		if s.weight > 0 {
			out[i] = v / s.weight
		}
	}
	return out
}

// Tick gives half of the share to a random peer among those that Others knows.
func (p *PushSum) Tick(n runtime.Peer) ([]wire.PeerID, tensor.Dense[float64], error) {
	view := sampling.View{Shuffle: p.Others}
	to, err := view.Sample(n, 1)
	if err != nil || len(to) == 0 {
		return nil, p.message(share{sum: make([]float64, p.size())}), err
	}
	return to, p.message(p.takeHalf()), nil
}

// takeHalf takes half of the share; at the end of an epoch, of the next epoch's share. A peer that gets no shares keeps the
// last of its own.
func (p *PushSum) takeHalf() share {
	if p.period++; p.Epochs > 0 && p.period >= int64(p.Epochs) {
		p.begin(p.share.epoch + 1)
	}
	s := &p.share
	if s.weight < leastWeight {
		return share{epoch: s.epoch, sum: make([]float64, p.size())}
	}
	part := p.part()
	given := share{s.epoch, s.weight * part, make([]float64, len(s.sum))}
	s.weight -= given.weight
	for i, v := range s.sum {
		given.sum[i] = v * part
		s.sum[i] -= given.sum[i]
	}
	return given
}

// part returns which part of the share is given away: half of it, or less if others would refuse that, because a peer that lies
// has given more to this one than all peers have together.
func (p *PushSum) part() float64 {
	over := max(1, p.share.weight/maxPeers)
	for _, v := range p.share.sum {
		over = max(over, math.Abs(v)/(p.max()*maxPeers))
	}
	return 0.5 / over
}

// begin ends an epoch, and begins another one with the peer's own value.
func (p *PushSum) begin(epoch int64) {
	if p.share.weight > 0 {
		p.past = p.share.mean()
	}
	p.period, p.share = 0, share{epoch: epoch, sum: make([]float64, p.size())}
	if p.value != nil {
		p.share.weight = 1
		copy(p.share.sum, p.value)
	}
}

var errShare = errors.New("the share is of no epoch, or larger than all peers have together")

// Receive takes the share that another peer has given away, and sends no answer. A share of a later epoch
// begins that epoch here, too; one of an earlier epoch is obsolete.
func (p *PushSum) Receive(_ wire.PeerID, m tensor.Dense[float64]) ([]wire.PeerID, tensor.Dense[float64], error) {
	if len(m.Data) != p.size()+2 {
		return nil, m, fmt.Errorf("a share of %d elements, want %d", len(m.Data), p.size()+2)
	}
	epoch, weight, sum := m.Data[0], m.Data[1], m.Data[2:]
	if epoch != math.Trunc(epoch) || !(epoch >= 0 && epoch < maxEpoch && epoch-float64(p.share.epoch) <= maxAhead) ||
		!(weight >= 0 && weight <= maxPeers) || beyond(sum, p.max()*maxPeers) >= 0 {
		return nil, m, errShare
	}
	p.handleShare(share{int64(epoch), weight, sum})
	return nil, m, nil
}

func (p *PushSum) handleShare(s share) {
	if s.epoch > p.share.epoch {
		p.begin(s.epoch)
	}
	if s.epoch < p.share.epoch {
		return
	}
	p.share.weight += s.weight
	for i, v := range s.sum {
		p.share.sum[i] += v
	}
}

// message returns the message for a share: the epoch, the weight, the sum.
func (p *PushSum) message(s share) tensor.Dense[float64] {
	x := append([]float64{float64(s.epoch), s.weight}, s.sum...)
	return tensor.DenseOf(x, len(x))
}

// Answered is never called with an answer.
func (p *PushSum) Answered(wire.PeerID, tensor.Dense[float64]) error { return nil }

// AppendBinary appends the peer's value and share.
func (p *PushSum) AppendBinary(b []byte) ([]byte, error) {
	for _, x := range [][]float64{p.value, p.past, p.share.sum} {
		b = values.AppendDense(b, tensor.DenseOf(x, len(x)))
	}
	b = values.AppendScalar(values.AppendScalar(b, p.share.weight), p.share.epoch)
	return values.AppendScalar(b, p.period), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (p *PushSum) UnmarshalBinary(b []byte) error {
	var read [3]tensor.Dense[float64]
	var s share
	var period int64
	f := values.NewFields(b)
	for i := range read {
		values.ReadDense(f, &read[i])
	}
	values.ReadScalar(f, &s.weight)
	values.ReadScalar(f, &s.epoch)
	values.ReadScalar(f, &period)
	if err := f.End(); err != nil {
		return err
	}
	for i, x := range read {
		if n := len(x.Data); n != p.size() && (n > 0 || i == 2) {
			return fmt.Errorf("a state of %d elements, want %d", n, p.size())
		}
	}
	p.value, p.past, s.sum = known(read[0].Data), known(read[1].Data), read[2].Data
	p.share, p.period = s, period
	return nil
}

// known returns a vector, or nil if it has no elements.
func known(x []float64) []float64 {
	if len(x) == 0 {
		return nil
	}
	return x
}
