package generated

import (
	"bytes"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/generated_test/divided"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/ir/train"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// dividedTraining returns the options for training with shared batches: the norm of the mean gradient is
// clipped.
func dividedTraining(t *testing.T) train.Options {
	t.Helper()
	o, err := train.NewOptimizer("momentum")
	if err != nil {
		t.Fatal(err)
	}
	return train.Options{
		Loss: train.Loss{Name: "cross_entropy", Targets: []string{"labels"}}, Optimizer: o,
		ClipNorm: 0.3, Accumulate: 2, Average: 0.9, Split: true,
	}
}

func TestDividedCurrent(t *testing.T) { checkTrainer(t, "divided", dividedTraining(t)) }

// dividedBatch is a batch of ten, or a share of it.
func dividedBatch(step, from, to int) *divided.Batch {
	x, labels := floats(uint64(step), 10, 4), make([]int64, 10)
	for i := range labels {
		labels[i] = int64((i + step) % 2)
	}
	return &divided.Batch{Batch: to - from, X: tensor.Data[float32](x)[4*from : 4*to], Labels: labels[from:to]}
}

func dividedTrainer(t *testing.T) *divided.Trainer {
	t.Helper()
	tr, err := divided.NewTrainer(runtime.TrainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestDividedReady: gradients are reported one by one while others are computed, with their final values.
func TestDividedReady(t *testing.T) {
	tr := dividedTrainer(t)
	var first []int
	for step := range 3 {
		var order []int
		told := map[int][]float32{}
		if _, err := tr.GradientsReady(dividedBatch(step, 0, 10), func(i int) {
			order = append(order, i)
			told[i] = slices.Clone(tensor.Data[float32](tr.ParameterGradients()[i].Value))
		}); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = order
		}
		if !slices.Equal(order, first) || len(order) != 4 || order[0] != 2 {
			t.Fatalf("step %d: gradients are told in the order %v, before it was %v; want that of w2 first", step, order, first)
		}
		for i, g := range tr.ParameterGradients() {
			if !slices.Equal(told[i], tensor.Data[float32](g.Value)) {
				t.Errorf("step %d: %s was told with %v, and is %v", step, g.Name, told[i], tensor.Data[float32](g.Value))
			}
		}
	}
}

// TestDividedShares: two trainers compute the gradients of half a batch each, and apply their mean. After
// each step both have the same bits, and the state of a trainer with the whole batch, up to rounding.
func TestDividedShares(t *testing.T) {
	how := dividedTraining(t)
	how.Split = false
	p, err := train.Build(graph(t, "divided"), how)
	if err != nil {
		t.Fatal(err)
	}
	if err := pass.Run(p.Step, pass.Pipeline, nil); err != nil {
		t.Fatal(err)
	}
	trainers := []*divided.Trainer{dividedTrainer(t), dividedTrainer(t)}
	var state []tensor.Value
	for step := range 6 {
		for rank, tr := range trainers {
			before := saved(t, tr)
			if _, err := tr.Gradients(dividedBatch(step, 5*rank, 5*rank+5)); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(saved(t, tr), before) {
				t.Fatal("Gradients changes the state")
			}
		}
		for i, g := range trainers[0].ParameterGradients() {
			a, b := tensor.Data[float32](g.Value), tensor.Data[float32](trainers[1].ParameterGradients()[i].Value)
			for k := range a {
				a[k] = (a[k] + b[k]) / 2
			}
			copy(b, a)
		}
		for _, tr := range trainers {
			if err := tr.ApplyGradients(0.1); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(saved(t, trainers[0]), saved(t, trainers[1])) {
			t.Fatalf("step %d: the two differ", step)
		}
		whole := dividedBatch(step, 0, 10)
		in := values(tensor.Of(whole.X, 10, 4), tensor.Of(whole.Labels, 10), tensor.FromFloat(tensor.Float32, 0.1))
		if _, state, err = eval.Step(p.Step.Main, state, in); err != nil {
			t.Fatal(err)
		}
		for _, v := range trainers[0].State() {
			k := slices.IndexFunc(p.Step.Main.State, func(st *ir.State) bool { return st.Param.Name == v.Name })
			if err := compare.Values(v.Value, state[k], compare.Tolerance{Rel: 1e-5, Abs: 1e-6}); err != nil {
				t.Errorf("step %d: %s: %v", step, v.Name, err)
			}
		}
	}
}

// TestDividedStep makes whole steps from the two halves.
func TestDividedStep(t *testing.T) {
	a, b := dividedTrainer(t), dividedTrainer(t)
	for step := range 4 {
		batch := dividedBatch(step, 0, 10)
		x, err := a.StepAt(batch, 0.1)
		if err != nil {
			t.Fatal(err)
		}
		y, err := b.Gradients(batch)
		if err == nil {
			err = b.ApplyGradients(0.1)
		}
		if err != nil || x != y {
			t.Fatalf("step %d: losses %v and %v (%v)", step, x, y, err)
		}
	}
	if !bytes.Equal(saved(t, a), saved(t, b)) {
		t.Error("the weights differ")
	}
}

// TestDividedKeep has two trainers keep the optimizer's state of two parameters each, and
// take the others from each other: all have the same bits as with the whole state.
func TestDividedKeep(t *testing.T) {
	whole, parts := dividedTrainer(t), []*divided.Trainer{dividedTrainer(t), dividedTrainer(t)}
	owner := []int{0, 1, 1, 0}
	for i, rank := range owner {
		parts[1-rank].Keep(i, false)
	}
	for step := range 5 {
		for _, tr := range append(parts, whole) {
			if _, err := tr.StepAt(dividedBatch(step, 0, 10), 0.1); err != nil {
				t.Fatal(err)
			}
		}
		for i, rank := range owner {
			from, to := parts[rank].Parameters()[i], parts[1-rank].Parameters()[i]
			if step == 1 && bytes.Equal(from.Value.Bytes(), to.Value.Bytes()) { // the first update
				t.Errorf("%s is updated where its state is not kept", to.Name)
			}
			copy(to.Value.Bytes(), from.Value.Bytes())
		}
		kept := map[string]int{}
		for k, want := range whole.State() {
			for rank, tr := range parts {
				if v := tr.State()[k]; v.Value == nil {
					continue
				} else if !bytes.Equal(v.Value.Bytes(), want.Value.Bytes()) {
					t.Errorf("step %d: %s of trainer %d is %v, want %v", step, v.Name, rank, v.Value.Data, want.Value.Data)
				}
				kept[want.Of]++
			}
		}
		for _, name := range []string{"w1", "b1", "w2", "b2"} {
			if kept[name] != 2 {
				t.Errorf("%d variables of %s are kept, want its momentum and its average, once", kept[name], name)
			}
		}
	}
	parts[0].Keep(1, true)
	first := dividedTrainer(t)
	for k, want := range first.State() {
		if v := parts[0].State()[k]; v.Of == "b1" && !bytes.Equal(v.Value.Bytes(), want.Value.Bytes()) {
			t.Errorf("%s is %v when it is kept again, want its initial value %v", v.Name, v.Value.Data, want.Value.Data)
		}
	}
}

// saved returns the state of a trainer, without gradients.
func saved(t *testing.T, tr *divided.Trainer) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := tr.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
