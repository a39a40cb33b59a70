package nn_test

import (
	"testing"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/dsl/nn"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/ir/train"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// exclusive is a network that learns whether two numbers have the same sign.
func exclusive() nn.Sequential {
	return nn.Sequential{
		&nn.Linear{In: 2, Out: 16}, &nn.BatchNorm{Size: 16, Momentum: 0.2}, nn.ReLU, &nn.Dropout{P: 0.1},
		&nn.Linear{In: 16, Out: 2},
	}
}

// TestForms tests that Dropout and BatchNorm have their training form where it is requested, and otherwise
// the one for inference.
func TestForms(t *testing.T) {
	for _, training := range []bool{true, false} {
		m, err := nn.Record(body{exclusive()}, nn.Options{Training: training})
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		m.Main.Body.Walk(func(n *ir.Node) {
			switch n.Op {
			case "BatchNormalization":
				found++
				if got := n.Int("training_mode") == 1; got != training {
					t.Errorf("training %v: BatchNorm trains: %v", training, got)
				}
				if n.Float("momentum") != 0.8 {
					t.Errorf("momentum is %v, want what stays: 0.8", n.Float("momentum"))
				}
			case "Dropout":
				found++
				if got := n.Arg(2) != nil; got != training {
					t.Errorf("training %v: Dropout trains: %v", training, got)
				}
			}
		})
		if found != 2 {
			t.Errorf("found %d of two layers", found)
		}
	}
}

// body is a network with names for its input and output.
type body struct{ Net nn.Sequential }

func (b body) Body(g *dsl.Graph) {
	g.Output("scores", b.Net.Forward(g, g.Input("point", dsl.Float32("batch", 2))))
}

// TestLearns trains the network until it classifies the training data correctly.
func TestLearns(t *testing.T) {
	m, err := nn.Record(body{exclusive()}, nn.Options{Seed: 2, Training: true})
	if err != nil {
		t.Fatal(err)
	}
	opt, err := train.NewOptimizer("adam")
	if err != nil {
		t.Fatal(err)
	}
	p, err := train.Build(m, train.Options{Loss: train.Loss{Name: "cross_entropy"}, Optimizer: opt})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*ir.Module{p.Step, p.Eval} {
		if err := pass.Run(m, pass.Pipeline, nil); err != nil {
			t.Fatal(err)
		}
	}
	const n = 64
	x, labels := random(3, n, 2), make([]int64, n)
	for i := range labels {
		if v := data(x); v[2*i]*v[2*i+1] > 0 {
			labels[i] = 1
		}
	}
	in := []tensor.Value{x, tensor.Of(labels, n)}
	var state []tensor.Value
	for range 300 {
		if _, state, err = eval.Step(p.Step.Main, state, append(in[:2:2], tensor.Of([]float32{0.02}))); err != nil {
			t.Fatal(err)
		}
	}
	kept := map[string]tensor.Value{}
	for i, s := range p.Step.Main.State {
		kept[s.Param.Name] = state[i]
	}
	state = nil
	for _, s := range p.Eval.Main.State {
		state = append(state, kept[s.Param.Name])
	}
	out, _, err := eval.Step(p.Eval.Main, state, in)
	if err != nil {
		t.Fatal(err)
	}
	if loss := data(out[0].(*tensor.Tensor))[0]; loss > 0.2 {
		t.Errorf("the loss is %v after training, want at most 0.2", loss)
	}
}
