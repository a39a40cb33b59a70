package train_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/train"
)

// two has two weights, one of which does not change, and a bias.
const two = `module "two"
meta "bbgen.frozen" = "[\"fixed\"]"
opset 21

func @main(%x: float32[batch,2]) -> (%y) {
  const %w: float32[2,2] = [1, 2, 3, 4]
  const %fixed: float32[2,2] = [1, 2, 3, 4]
  const %bias: float32[2] = [1, 2]
  %a = MatMul(%x, %w) : ?
  %b = MatMul(%a, %fixed) : ?
  const %bits: int64[2] = [0, 1]
  %mask = Cast(%bits) {to = 1} : ?
  %c = Mul(%b, %mask) : ?
  %y = Add(%c, %bias) : ?
}
`

// prepared returns the model, prepared for training in stages, and the names of its trained values.
func prepared(t *testing.T, o train.Options) (*ir.Module, []string, error) {
	t.Helper()
	m, err := ir.Parse("two.ir", two)
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := train.Prepare(m, o)
	var names []string
	for _, v := range list {
		if !v.IsConst() {
			t.Errorf("%s is no initializer any more", v.Name)
		}
		names = append(names, v.Name)
	}
	return m, names, err
}

func adam(t *testing.T) train.Options {
	t.Helper()
	o, err := train.NewOptimizer("adam")
	if err != nil {
		t.Fatal(err)
	}
	return train.Options{Loss: train.Loss{Name: "mse"}, Optimizer: o}
}

// TestPrepare finds the initializers that training changes: neither those that the file names, nor those that are frozen.
func TestPrepare(t *testing.T) {
	o := adam(t)
	if _, names, err := prepared(t, o); err != nil || !slices.Equal(names, []string{"w", "bias"}) {
		t.Errorf("got %v, %v, want w and bias", names, err)
	}
	o.Freeze = []string{"w"}
	if _, names, err := prepared(t, o); err != nil || !slices.Equal(names, []string{"bias"}) {
		t.Errorf("got %v, %v, want the bias", names, err)
	}
	o.Freeze = []string{"*"}
	if _, _, err := prepared(t, o); err == nil || !strings.Contains(err.Error(), "nothing to train") {
		t.Errorf("got %v, want an error: nothing is trained", err)
	}
}

// TestPrepareFixes builds the step of a prepared model: it trains what the step of the model itself trains, although
// constants were computed that are no initializers of the file.
func TestPrepareFixes(t *testing.T) {
	o := adam(t)
	m, want, err := prepared(t, o)
	if err != nil {
		t.Fatal(err)
	}
	p, err := train.Build(m, o.Stage(m, 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, st := range p.Step.Main.State {
		if st.Kind == ir.Parameter {
			got = append(got, st.Param.Name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the step trains %v, want %v", got, want)
	}
}

// TestPrepareRefuses gives options that need the gradients of all stages at once: each is refused.
func TestPrepareRefuses(t *testing.T) {
	for want, change := range map[string]func(o *train.Options){
		"loss scale":                   func(o *train.Options) { o.Scale = train.DynamicScale },
		"instead of accumulating":      func(o *train.Options) { o.ClipNorm, o.Accumulate = 1, 3 },
		"instead of a limit of memory": func(o *train.Options) { o.Memory = 1 },
		"want the reduction mean":      func(o *train.Options) { o.Loss.Reduction = "sum" },
		"by the model's own":           func(o *train.Options) { o.Loss.Name = "" },
	} {
		o := adam(t)
		change(&o)
		if _, _, err := prepared(t, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestStageOptions shows the options of the first and the last of two stages: the loss is in the last one, and patterns
// stay where they match.
func TestStageOptions(t *testing.T) {
	o := adam(t)
	o.ClipNorm, o.Freeze, o.Groups = 1, []string{"w", "other"}, []train.Group{{Match: []string{"other"}}, {Match: []string{"bias"}}}
	m, err := ir.Parse("two.ir", two)
	if err != nil {
		t.Fatal(err)
	}
	first, last := o.Stage(m, 0, 2), o.Stage(m, 1, 2)
	if first.Loss.Name != "" || !first.Backward || first.InputGradients || last.Loss.Name != "mse" || last.Backward || !last.InputGradients {
		t.Errorf("first %+v, last %+v: want the loss at the end, and gradients of inputs behind the first", first, last)
	}
	if !first.Split || !last.Split || first.ClipNorm != 0 || last.ClipNorm != 0 {
		t.Error("want split steps without clipping")
	}
	if !slices.Equal(first.Freeze, []string{"w"}) || len(first.Groups) != 1 || first.Groups[0].Match[0] != "bias" {
		t.Errorf("patterns are %v, %v", first.Freeze, first.Groups)
	}
}
