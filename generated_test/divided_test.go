package generated

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/generated_test/divided"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/ir/train"
	"github.com/bbgen/bbgen/runtime/model"
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

// TestDividedOptimizers: every optimizer that updates each element by itself may keep a part of a parameter. LAMB, and
// Muon for matrices, keep all or nothing.
func TestDividedOptimizers(t *testing.T) {
	for name, whole := range map[string]string{
		"sgd": "", "momentum": "", "nesterov": "", "adam": "", "adamw": "", "adagrad": "", "rmsprop": "", "lion": "",
		"lamb": "case 0, 1, 2, 3:", "muon": "case 0, 2:",
	} {
		how := dividedTraining(t)
		var err error
		if how.Optimizer, err = train.NewOptimizer(name); err != nil {
			t.Fatal(err)
		}
		r, err := bbgen.Compile(graph(t, "divided"), bbgen.Config{Package: "divided", Source: "model.ir", Train: &how})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(r.Files, func(f codegen.File) bool { return f.Path == "trainer.bb.go" })
		_, method, _ := strings.Cut(string(r.Files[at].Bytes()), "Divisible(parameter int) bool {")
		method, _, _ = strings.Cut(method, "\n}")
		if got := strings.Contains(method, "return false"); got != (whole != "") || !strings.Contains(method, whole) {
			t.Errorf("%s: Divisible is\n%s\nwant false for %q", name, method, whole)
		}
	}
}

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
	tr, err := divided.NewTrainer(model.TrainOptions{})
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

// TestDividedKeep has two trainers keep the optimizer's state of a part of the elements each, and take the others from
// each other. Later the first one takes over some of the second one's: all have the same bits as with the whole state.
func TestDividedKeep(t *testing.T) {
	whole, parts := dividedTrainer(t), []*divided.Trainer{dividedTrainer(t), dividedTrainer(t)}
	sizes := []int{12, 3, 6, 2}
	kept := func(from, to int) []model.Shard { return []model.Shard{{From: from, To: to}} }
	shards := [][][]model.Shard{ // by rank and parameter
		{kept(0, 7), nil, {{From: 1, To: 2}, {From: 4, To: 6}}, kept(0, 2)},
		{kept(7, 12), kept(0, 3), {{From: 0, To: 1}, {From: 2, To: 4}}, nil},
	}
	keep := func() {
		for rank, tr := range parts {
			for i, list := range shards[rank] {
				tr.Keep(i, list...)
			}
		}
	}
	keep()
	for step := range 5 {
		for _, tr := range append(parts, whole) {
			if _, err := tr.StepAt(dividedBatch(step, 0, 10), 0.1); err != nil {
				t.Fatal(err)
			}
		}
		for i := range sizes {
			for rank, tr := range parts {
				from, to := tensor.Data[float32](tr.Parameters()[i].Value), tensor.Data[float32](parts[1-rank].Parameters()[i].Value)
				for _, s := range shards[rank][i] {
					if step == 1 && slices.Equal(from[s.From:s.To], to[s.From:s.To]) { // the first update
						t.Errorf("elements %d to %d of parameter %d are updated where their state is not kept", s.From, s.To, i)
					}
					copy(to[s.From:s.To], from[s.From:])
				}
			}
		}
		for rank := range parts {
			checkParts(t, step, whole, parts[rank], shards[rank])
		}
		if step == 1 { // the first one has what it kept, and gets the rest
			was := shards[0][0]
			shards[0][0], shards[1][0] = kept(0, 9), kept(9, 12)
			moved := map[string][]float32{}
			for _, v := range parts[1].State() {
				if v.Of == "w1" {
					moved[v.Name] = slices.Clone(tensor.Data[float32](v.Value)[:2])
				}
			}
			keep()
			for _, v := range parts[0].State() {
				if v.Of == "w1" {
					copy(tensor.Data[float32](v.Value)[was[0].To:], moved[v.Name])
				}
			}
		}
	}
	parts[0].Keep(1, kept(1, 3)...)
	for k, want := range dividedTrainer(t).State() {
		v := parts[0].State()[k]
		if v.Of == "b1" && !slices.Equal(tensor.Data[float32](v.Value), tensor.Data[float32](want.Value)[1:3]) {
			t.Errorf("%s is %v when it is kept again, want its initial values %v", v.Name, v.Value.Data, want.Value.Data)
		}
	}
	if err := parts[0].Save(new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "want the whole state") {
		t.Errorf("a part of the state is saved: %v", err)
	}
}

// checkParts compares what a trainer keeps with the whole state.
func checkParts(t *testing.T, step int, whole, tr *divided.Trainer, shards [][]model.Shard) {
	t.Helper()
	for k, want := range whole.State() {
		v := tr.State()[k]
		i := slices.IndexFunc(whole.Parameters(), func(p model.Variable) bool { return p.Name == v.Of })
		switch {
		case i < 0:
			if !bytes.Equal(v.Value.Bytes(), want.Value.Bytes()) {
				t.Errorf("step %d: %s is %v, want %v", step, v.Name, v.Value.Data, want.Value.Data)
			}
			continue
		case shards[i] == nil:
			if v.Value != nil {
				t.Errorf("%s is %v, want nothing", v.Name, v.Value.Data)
			}
			continue
		}
		var parts []float32
		for _, s := range shards[i] {
			parts = append(parts, tensor.Data[float32](want.Value)[s.From:s.To]...)
		}
		if got := tensor.Data[float32](v.Value); !slices.Equal(got, parts) {
			t.Errorf("step %d: %s has %v, want %v", step, v.Name, got, parts)
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
