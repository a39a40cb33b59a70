package fedavg

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// round is the contributions of one shape in an execution.
type round struct {
	sum     []float64 // of the first contributions
	summed  int       // how many these are
	waiting waiting   // the others
	shape   []int
	weight  float64
	count   int
	err     error // the error of a partial sum
}

// waiting is contributions that stay in place until all can be summed: then each part is summed while it is in
// the cache.
type waiting struct {
	x       [][]float32
	factors []float64
	shares  []wire.Blob
}

// block is how many elements are summed at a time: they stay in the cache.
const block = 4096

// keep is the maximum size of waiting contributions, and of sums that are kept for reuse.
const keep = 32 << 20

// add adds a contribution to the waiting ones, or to the sum.
func (r *round) add(x *values.Large[float32], factor float64) error {
	if here, share, ok := x.Held(); ok {
		w := &r.waiting
		w.x, w.factors, w.shares = append(w.x, here), append(w.factors, factor), append(w.shares, share)
		if 4*len(here)*len(w.x) > keep {
			r.sumWaiting()
		}
		return nil
	}
	r.sumWaiting()
	sum := r.resized(x.Len())
	for part, err := range x.Parts() {
		if err != nil {
			r.err = err // a part of it is in the sum
			return err
		}
		for len(part) > 0 {
			n := min(block, len(part))
			if r.summed == 0 {
				clear(sum[:n])
			}
			cpu.AddScaled64(sum[:n], part[:n], factor)
			sum, part = sum[n:], part[n:]
		}
	}
	r.summed++
	return nil
}

// resized returns the sum with n elements, which are arbitrary before the first contribution.
func (r *round) resized(n int) []float64 {
	r.sum = tensor.Grow(r.sum, n)
	return r.sum
}

// sumWaiting adds the waiting contributions to the sum, in the order of their arrival.
func (r *round) sumWaiting() {
	w := &r.waiting
	if len(w.x) == 0 {
		return
	}
	n := len(w.x[0])
	sum := r.resized(n)
	for at := 0; at < n; at += block {
		end := min(at+block, n)
		if r.summed == 0 {
			clear(sum[at:end])
		}
		for i, x := range w.x {
			cpu.AddScaled64(sum[at:end], x[at:end], w.factors[i])
		}
	}
	r.summed += len(w.x)
	w.release()
}

// release releases the waiting contributions.
func (w *waiting) release() {
	for _, s := range w.shares {
		s.Release()
	}
	clear(w.x)
	clear(w.shares)
	w.x, w.factors, w.shares = w.x[:0], w.factors[:0], w.shares[:0]
}

// forget makes room for the next contributions.
func (r *round) forget() {
	r.waiting.release()
	r.count, r.summed, r.err = 0, 0, nil
	if 8*len(r.sum) > keep {
		r.sum = nil
	}
}

// mean returns the mean of all contributions.
func (r *round) mean() tensor.Dense[float32] {
	if w := &r.waiting; r.summed == 0 { // the sum need not be in memory as a whole
		mean := tensor.NewDense[float32](slices.Clone(r.shape)...)
		cpu.AverageScaled(mean.Data, w.x, w.factors, r.weight)
		return mean
	}
	r.sumWaiting()
	mean := tensor.DenseOf(tensor.Narrow(r.sum), slices.Clone(r.shape)...)
	if 8*len(r.sum) <= keep {
		mean = tensor.NewDense[float32](mean.Shape...)
	}
	cpu.DivNarrow(mean.Data, r.sum, r.weight)
	return mean
}

// read reads a round from the output of [Average.AppendBinary].
func (r *round) read(f *values.Fields) error {
	var count int64
	var sum tensor.Dense[float64]
	if values.ReadScalar(f, &count); count != 0 {
		values.ReadScalar(f, &r.weight)
		values.ReadDense(f, &sum)
	}
	if count < 0 || count > 0 && !(r.weight > 0) {
		return fmt.Errorf("%d contributions of weight %v", count, r.weight)
	}
	r.count, r.summed, r.sum, r.shape = int(count), int(count), sum.Data, sum.Shape
	return nil
}
