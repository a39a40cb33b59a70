package train

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// telling is a split session that reports complete gradients: the later one first.
type telling struct {
	*halves
	told func() error // called between the two
}

func (s *telling) GradientsReady(ready func(i int)) (float64, error) {
	loss, err := s.Gradients()
	if err != nil {
		return 0, err
	}
	ready(1)
	if err := s.told(); err != nil {
		return 0, err
	}
	ready(0)
	return loss, nil
}

// tells returns the program of telling.
func tells(onStep func(n int) error, told func() error) model.TrainProgram {
	p := split(onStep)
	begin := p.New
	p.New = func(seed uint64) (model.TrainSession, error) {
		s, err := begin(seed)
		return &telling{s.(*halves), told}, err
	}
	return p
}

// noting is a group that records each sum.
type noting struct {
	Group
	summed chan int // their lengths
}

func (g noting) SumAs(c collective.Codec, lane int, x Addend) error {
	err := g.Group.SumAs(c, lane, x)
	g.summed <- x.Len
	return err
}

var errNotSummed = errors.New("the first bucket is not summed while the second one is computed")

// TestExchange sums each gradient separately: the first one while the step still computes the second, which
// waits for that. The result is that of a single training, and the same in each run.
func TestExchange(t *testing.T) {
	alone := t.TempDir()
	if err := Run(t.Context(), split(nil), points(125), teamOptions(t, alone)); err != nil {
		t.Fatal(err)
	}
	var first map[string]string
	for range 2 {
		dir := t.TempDir()
		opt := teamOptions(t, dir)
		opt.bucketBytes = 1
		var sums [3]chan int
		for rank := range sums {
			sums[rank] = make(chan int, 1000)
		}
		errs, _ := runTogether(t.Context(), 3, opt, func(rank int) model.TrainProgram {
			return tells(nil, func() error { return awaitSum(sums[rank], 2+scalars+3) })
		}, func(rank int, opt *Options) { opt.Group = noting{opt.Group, sums[rank]} })
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		nearResults(t, dir, alone)
		now := results(t, dir)
		for name := range first {
			if now[name] != first[name] {
				t.Errorf("%s differs from one run to the next", name)
			}
		}
		first = now
	}
}

// awaitSum waits for a sum of a length.
func awaitSum(summed chan int, n int) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		select {
		case k := <-summed:
			if k == n {
				return nil
			}
		case <-ctx.Done():
			return errNotSummed
		}
	}
}

// TestExchangeLoss kills a peer between two buckets: the mean of the first is over all peers, and that of the
// second over the remaining ones.
func TestExchangeLoss(t *testing.T) {
	c := newCircle(3)
	teams := make([]*team, 3)
	for rank := range teams {
		p := split(nil)
		s, err := p.New(1)
		if err != nil {
			t.Fatal(err)
		}
		if teams[rank], err = newTeam(one{c, rank}, p, s); err != nil {
			t.Fatal(err)
		}
		m := teams[rank]
		m.bucketBytes, m.shouldStop = 1, func() bool { return false }
		for _, v := range m.gradients {
			for i := range tensor.Data[float32](v.Value) {
				tensor.Data[float32](v.Value)[i] = float32(rank + 1)
			}
		}
	}
	var wg sync.WaitGroup
	numbers := make([][]float32, 3)
	for rank, m := range teams {
		wg.Go(func() {
			e := m.exchange([]int{2, 2, 4}[rank], 8)
			e.ready(1)
			if rank < 2 {
				e.ready(0)
				e.rest(1)
			}
			var err error
			if numbers[rank], err = e.wait(); err != nil {
				t.Error(err)
			}
			c.leave(rank)
		})
	}
	wg.Wait()
	for rank, m := range teams[:2] {
		w, b := tensor.Data[float32](m.gradients[0].Value)[0], tensor.Data[float32](m.gradients[1].Value)[0]
		if b != (2*1+2*2+4*3)/8. || w != (2*1+2*2)/4. {
			t.Errorf("peer %d: the means are %v and %v, want that of all three and of two", rank, b, w)
		}
		if n := numbers[rank]; n[weightAt] != 4 || n[lossAt] != 4 || n[scalars+2] != 0 {
			t.Errorf("peer %d: the last bucket has %v", rank, n)
		}
	}
}

// TestBucketBytes: the first of few gradients are sent early, too, and those of many in sufficiently large
// pieces.
func TestBucketBytes(t *testing.T) {
	for elements, want := range map[int]int{100: 64 << 10, 200 << 10: 100 << 10, 4 << 20: 1 << 20} {
		if got := bucketBytesOf([]model.Variable{{Value: tensor.New(tensor.Float32, elements)}}, collective.Exact); got != want {
			t.Errorf("a bucket of %d elements has %d bytes, want %d", elements, got, want)
		}
	}
}

// TestLeftOver: gradients that are left over at the end are in the last bucket, which a codec does not round. With one they
// have a bucket of their own.
func TestLeftOver(t *testing.T) {
	const elements = 100
	for codec, want := range map[collective.Codec][]int{collective.Exact: {elements + scalars + 1}, collective.BFloat16: {elements, scalars + 1}} {
		summed := make(chan int, 10)
		m := &team{
			Group: noting{one{newCircle(1), 0}, summed}, bucketBytes: 1 << 20, shouldStop: func() bool { return false }, codec: codec,
			gradients: []model.Variable{{Value: tensor.New(tensor.Float32, elements)}},
		}
		e := m.exchange(1, 1)
		e.ready(0)
		e.rest(1)
		if _, err := e.wait(); err != nil {
			t.Fatal(err)
		}
		close(summed)
		var got []int
		for n := range summed {
			got = append(got, n)
		}
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("%v: sums of %v numbers, want %v", codec, got, want)
		}
	}
}

// held is a group whose sums of gradients wait until the last bucket is being summed.
type held struct {
	Group
	last chan struct{}
}

func (g held) SumAs(c collective.Codec, lane int, x Addend) error {
	if x.Len == scalars+g.Size() {
		close(g.last)
	}
	select {
	case <-g.last:
		return g.Group.SumAs(c, lane, x)
	case <-time.After(time.Minute):
		return errors.New("the last bucket waits for the others")
	}
}

// TestLastBucket: the last bucket is sent while others are summed, so that a step waits for one exchange of messages after
// its backward pass.
func TestLastBucket(t *testing.T) {
	m := &team{
		Group: held{one{newCircle(1), 0}, make(chan struct{})}, bucketBytes: 1, shouldStop: func() bool { return false },
		gradients: []model.Variable{{Value: tensor.New(tensor.Float32, 7)}, {Value: tensor.New(tensor.Float32, 9)}},
	}
	e := m.exchange(1, 1)
	e.ready(0)
	e.ready(1)
	e.rest(1)
	if _, err := e.wait(); err != nil {
		t.Error(err)
	}
}

// late is a group whose sums begin and end at random times.
type late struct {
	Group
	seed uint64
}

func (g late) SumAs(c collective.Codec, lane int, x Addend) error {
	r := rand.New(rand.NewPCG(g.seed+uint64(g.Rank()), uint64(lane)))
	time.Sleep(time.Duration(r.IntN(300)) * time.Microsecond)
	err := g.Group.SumAs(c, lane, x)
	time.Sleep(time.Duration(r.IntN(300)) * time.Microsecond)
	return err
}

// TestTiming: the order in which sums begin and end changes no bit of a training.
func TestTiming(t *testing.T) {
	var first map[string]string
	for seed := range uint64(4) {
		dir := t.TempDir()
		opt := teamOptions(t, dir)
		opt.bucketBytes = 1
		errs, _ := runTogether(t.Context(), 3, opt, func(int) model.TrainProgram {
			return tells(nil, func() error { return nil })
		}, func(_ int, opt *Options) { opt.Group = late{opt.Group, seed} })
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		now := results(t, dir)
		for name := range first {
			if now[name] != first[name] {
				t.Errorf("seed %d: %s differs from that of the first", seed, name)
			}
		}
		if first == nil {
			first = now
		}
	}
	if len(first) == 0 {
		t.Error("a training has no results")
	}
}
