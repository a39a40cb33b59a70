package generated

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/generated_test/trainer"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/ir/train"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// training returns the options for the trainer's model.
func training(t *testing.T) train.Options {
	t.Helper()
	o, err := train.NewOptimizer("adamw")
	if err != nil {
		t.Fatal(err)
	}
	return train.Options{
		Loss: train.Loss{Name: "cross_entropy", Targets: []string{"labels"}}, Optimizer: o, ClipNorm: 1, Average: 0.9,
		Groups: []train.Group{{Match: []string{"[bg]?"}}}, // gains and shifts do not decay
	}
}

func TestTrainerCurrent(t *testing.T) { checkTrainer(t, "trainer", training(t)) }

// checkTrainer generates a trainer twice, and compares it with the committed one.
func checkTrainer(t *testing.T, name string, how train.Options) {
	t.Helper()
	c := bbgen.Config{Package: name, Source: "model.ir", Train: &how}
	r, err := bbgen.Compile(graph(t, name), c)
	if err != nil {
		t.Fatal(err)
	}
	again, err := bbgen.Compile(graph(t, name), c)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range r.Files {
		if !bytes.Equal(f.Bytes(), again.Files[i].Bytes()) {
			t.Errorf("%s is not the same when generated twice", f.Path)
		}
		checkFile(t, filepath.Join(name, f.Path), f.Bytes())
	}
}

// TestTrainer makes steps and compares the whole state with the evaluation of the step's graph after each.
func TestTrainer(t *testing.T) {
	p, err := train.Build(graph(t, "trainer"), training(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := pass.Run(p.Step, pass.Pipeline, nil); err != nil {
		t.Fatal(err)
	}
	s, err := trainer.TrainProgram().New(0)
	if err != nil {
		t.Fatal(err)
	}
	var state []tensor.Value
	for i, batch := range []int{3, 5, 3} {
		in := values(floats(uint64(i), batch, 4), tensor.New(tensor.Int64, batch))
		tensor.Data[int64](in[1].(*tensor.Tensor))[batch-1] = 1
		for k, v := range in {
			if err := s.SetInput(k, v); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Step(0.1)
		if err != nil {
			t.Fatal(err)
		}
		out, next, err := eval.Step(p.Step.Main, state, append(in, tensor.FromFloat(tensor.Float32, 0.1)))
		if err != nil {
			t.Fatal(err)
		}
		state = next
		tol := compare.Tolerance{Rel: 1e-4, Abs: 1e-5}
		if err := compare.Values(tensor.FromFloat(tensor.Float32, got), out[0], tol); err != nil {
			t.Errorf("step %d: loss: %v", i, err)
		}
		have := map[string]*tensor.Tensor{}
		for _, v := range s.State() {
			have[v.Name] = v.Value
		}
		for k, st := range p.Step.Main.State {
			if err := compare.Values(have[st.Param.Name], state[k], tol); err != nil {
				t.Errorf("step %d: %s: %v", i, st.Param.Name, err)
			}
		}
	}
}

// TestTrainerThreads makes the same steps with one thread and with four.
func TestTrainerThreads(t *testing.T) {
	defer cpu.SetThreads(0)
	var want []byte
	for _, threads := range []int{1, 4} {
		cpu.SetThreads(threads)
		tr, err := trainer.NewTrainer(model.TrainOptions{Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		x := floats(1, 300, 4)
		b := &trainer.Batch{Batch: 300, X: tensor.Data[float32](x), Labels: make([]int64, 300)}
		for range 3 {
			if _, err := tr.Step(b); err != nil {
				t.Fatal(err)
			}
		}
		var saved bytes.Buffer
		if err := tr.Save(&saved); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = saved.Bytes()
		} else if !bytes.Equal(saved.Bytes(), want) {
			t.Errorf("%d threads give other weights", threads)
		}
	}
}

// TestTrainerFails makes a step fail by an invalid label. The error names the node, the state is unchanged,
// and the next step is that of a trainer without the failure.
func TestTrainerFails(t *testing.T) {
	defer cpu.SetThreads(0)
	for _, threads := range []int{1, 4} {
		cpu.SetThreads(threads)
		steps := func(labels ...int64) []byte {
			tr, err := trainer.NewTrainer(model.TrainOptions{Seed: 7})
			if err != nil {
				t.Fatal(err)
			}
			for _, label := range labels {
				b := &trainer.Batch{Batch: 300, X: tensor.Data[float32](floats(1, 300, 4)), Labels: make([]int64, 300)}
				b.Labels[299] = label
				_, err := tr.Step(b)
				if bad := label > 1; bad != (err != nil) || bad && !strings.Contains(err.Error(), `node "train/SoftmaxCrossEntropyLoss" (SoftmaxCrossEntropyLoss): NLLLoss: target 299 is 1000, want 0 to`) {
					t.Fatalf("label %d: %v", label, err)
				}
			}
			var saved bytes.Buffer
			if err := tr.Save(&saved); err != nil {
				t.Fatal(err)
			}
			return saved.Bytes()
		}
		if !bytes.Equal(steps(1, 1000, 0), steps(1, 0)) {
			t.Errorf("%d threads: a step that failed has changed the state", threads)
		}
	}
}
