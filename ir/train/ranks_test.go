package train

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// perceptron has matrices and vectors, which some optimizers treat differently.
const perceptron = `
module "perceptron"
opset 22
func @main(%x: float32[batch,4]) -> (%logits) {
  const %w1: float32[4,3] = [[0.5, -0.25, 0.75], [-0.5, 0.25, 0.1], [0.3, 0.6, -0.9], [0.2, -0.7, 0.4]]
  const %b1: float32[3] = [0.1, 0.2, -0.1]
  const %w2: float32[2,3] = [[0.8, -0.6, 0.4], [-0.2, 0.9, 0.5]]
  const %b2: float32[2] = [0.1, -0.1]
  %h = MatMul(%x, %w1)
  %n = Add(%h, %b1)
  %a = Tanh(%n)
  %logits = Gemm(%a, %w2, %b2) {transB = 1}
}
`

// wholeBatch is divisible by the numbers of ranks.
const wholeBatch = 12

// share returns the samples of a rank for a step.
func share(step, rank, ranks int) (x, labels *tensor.Tensor) {
	r := rand.New(rand.NewPCG(uint64(step), 31))
	all, classes := make([]float32, wholeBatch*4), make([]int64, wholeBatch)
	for i := range all {
		all[i] = float32(r.NormFloat64())
	}
	for i := range classes {
		classes[i] = int64(r.IntN(2))
	}
	n := wholeBatch / ranks
	return tensor.Of(all[4*n*rank:4*n*(rank+1)], n, 4), tensor.Of(classes[n*rank:n*(rank+1)], n)
}

// ranks train one model together.
type ranks struct {
	list      []*session
	optimizer string
	sharded   bool // each rank keeps the optimizer's state of a part of the elements
}

func startRanks(t *testing.T, n int, sharded bool, how Options) *ranks {
	t.Helper()
	how.Split = true
	r := &ranks{optimizer: how.Optimizer.Name, sharded: sharded}
	for range n {
		m, err := ir.Parse("perceptron.ir", perceptron)
		if err != nil {
			t.Fatal(err)
		}
		r.list = append(r.list, start(t, m, how))
	}
	return r
}

// step computes the gradients of shares, averages them as a collective does, and updates the parameters. It returns the
// mean loss.
func (r *ranks) step(step int, rate float32) (loss float64) {
	n := len(r.list)
	for rank, s := range r.list {
		x, labels := share(step, rank, n)
		loss += s.step(x, labels, tensor.Of([]float32{rate})) / float64(n)
	}
	mean := collective.Spec{Kind: collective.AllReduce, Op: collective.Mean, Elem: tensor.Float32}
	for i, st := range r.list[0].f.State {
		if st.Kind != ir.Gradient {
			continue
		}
		var values []collective.Value
		for _, s := range r.list {
			g := s.state[i].(*tensor.Tensor)
			values = append(values, collective.Value{Rows: 1, Row: g.Len(), Data: g.Bytes()})
		}
		for rank, b := range mean.Evaluate(values) {
			copy(r.list[rank].state[i].(*tensor.Tensor).Bytes(), b)
		}
	}
	for rank, s := range r.list {
		r.forget(rank)
		s.update(rate)
	}
	r.gather()
	return loss
}

// forget overwrites the optimizer's state of all elements that a rank does not keep: no update may depend on it.
func (r *ranks) forget(rank int) {
	if !r.sharded {
		return
	}
	s := r.list[rank]
	for i, st := range s.f.State {
		p := parameterOf(s.f, st)
		if p == nil {
			continue
		}
		x := s.state[i].(*tensor.Tensor).Clone()
		from, to := r.kept(rank, p)
		for k := range x.Len() {
			if k < from || k >= to {
				tensor.Data[float32](x)[k] = float32(math.NaN())
			}
		}
		s.state[i] = x
	}
}

// gather gives all ranks the parameters, and the optimizer's state, of the ranks that keep them.
func (r *ranks) gather() {
	if !r.sharded {
		return
	}
	for i, st := range r.list[0].f.State {
		p := parameterOf(r.list[0].f, st)
		if st.Kind == ir.Parameter {
			p = st
		}
		if p == nil {
			continue
		}
		all := make([]float32, r.list[0].state[i].(*tensor.Tensor).Len())
		for rank, s := range r.list {
			from, to := r.kept(rank, p)
			copy(all[from:to], tensor.Data[float32](s.state[i].(*tensor.Tensor))[from:to])
		}
		for _, s := range r.list {
			s.state[i] = tensor.Of(slices.Clone(all), s.state[i].(*tensor.Tensor).Shape...)
		}
	}
}

// parameterOf returns the parameter of a state that may be divided, or nil.
func parameterOf(f *ir.Func, st *ir.State) *ir.State {
	if st.Kind != ir.OptimizerSlot && st.Kind != ir.Average || strings.HasSuffix(st.Param.Name, ".sum_of_gradients") {
		return nil
	}
	for _, p := range f.State {
		if p.Kind == ir.Parameter && strings.HasPrefix(st.Param.Name, p.Param.Name+".") {
			return p
		}
	}
	return nil
}

// kept returns the elements of a parameter whose state a rank keeps: all or none if its optimizer needs all.
func (r *ranks) kept(rank int, p *ir.State) (from, to int) {
	n := p.Init.Len()
	if r.optimizer != "lamb" && (r.optimizer != "muon" || len(p.Init.Shape) != 2) {
		return n * rank / len(r.list), n * (rank + 1) / len(r.list)
	}
	if rank == 0 {
		return 0, n
	}
	return 0, 0
}

// TestRanks trains with shares of each batch on several ranks, for each optimizer and all options for gradients, also
// with a divided state of the optimizer: losses and weights are those of one rank with the whole batch to 1e-5, all ranks
// have the same bits, and so has a second training.
func TestRanks(t *testing.T) {
	for _, name := range OptimizerNames() {
		for _, how := range []Options{{}, {ClipNorm: 0.1}, {Accumulate: 2}, {Accumulate: 2, ClipNorm: 0.1, Average: 0.9}} {
			how.Loss, how.Optimizer = Loss{Name: "cross_entropy", Targets: []string{"labels"}}, optimizer(t, name)
			alone := startRanks(t, 1, false, how)
			want := alone.train()
			for _, n := range []int{2, 3} {
				var bits []byte
				for _, sharded := range []bool{false, false, true} {
					what := fmt.Sprintf("%s, accumulate %d, clip at %v, %d ranks, sharded %v", name, how.Accumulate, how.ClipNorm, n, sharded)
					r := startRanks(t, n, sharded, how)
					near(t, what+": the losses", r.train(), want, 1e-5)
					for rank, s := range r.list {
						b := s.bits()
						if bits == nil {
							bits = b
						}
						if !bytes.Equal(b, bits) {
							t.Errorf("%s: rank %d has other bits than rank 0 of the first training", what, rank)
						}
					}
					for i, st := range alone.list[0].f.State {
						if st.Kind == ir.Parameter || st.Kind == ir.Average {
							near(t, what+": "+st.Param.Name, floats64(r.list[0].state[i].(*tensor.Tensor)), floats64(alone.list[0].state[i].(*tensor.Tensor)), 1e-5)
						}
					}
				}
			}
		}
	}
}

// train makes some steps and returns their losses.
func (r *ranks) train() (losses []float64) {
	for step := range 8 {
		losses = append(losses, r.step(step, 0.01))
	}
	return losses
}

// bits returns all of the state that ranks have in common.
func (s *session) bits() (b []byte) {
	for i, st := range s.f.State {
		if st.Kind != ir.Gradient {
			b = append(b, s.state[i].(*tensor.Tensor).Bytes()...)
		}
	}
	return b
}
