package bbgen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/bind"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/ir/train"
	"github.com/bbgen/bbgen/partitioner"
)

// TestAsCalled has programs that call a model in several ways, which determine its training step.
func TestAsCalled(t *testing.T) {
	const (
		forward  = `%y, %d = "ai.bytesandbrains.role.model":ForwardTrain(%x) {slot = "m", types = ["float32[2]"]} @a at "p.go:1"`
		backward = `%dx = "ai.bytesandbrains.role.model":Backward(%y, %x, %d) {slot = "m", outputs = 1} @a at "p.go:2"`
		read     = `%told = "ai.bytesandbrains.syscall":AppEmit(%dx) {name = "dx"} @a`
		step     = `%loss = "ai.bytesandbrains.role.model":TrainStep(%x, %x) {slot = "m"} @a at "p.go:3"`
		gradient = `%loss, %dx = "ai.bytesandbrains.role.model":TrainStepGradient(%x, %x) {slot = "m", inputs = 1} @a at "p.go:3"`
		infer    = `%y = "ai.bytesandbrains.role.model":Forward(%x) {slot = "m", types = ["float32[2]"]} @a at "p.go:1"`
	)
	for _, c := range []struct {
		calls []string
		loss  string
		want  string
	}{
		{[]string{forward, backward}, "", "backward true, gradients of inputs false"},
		{[]string{forward, backward, read}, "", "backward true, gradients of inputs true"},
		{[]string{step}, "mse", "backward false, gradients of inputs false"},
		{[]string{gradient}, "mse", "backward false, gradients of inputs true"},
		{[]string{infer}, "", "backward true, gradients of inputs false"},
		{[]string{infer}, "mse", "backward false, gradients of inputs false"},
		{[]string{forward, backward, step}, "mse", "p.go:2: Backward takes the gradient of the output, and TrainStep at p.go:3 has a loss: use two slots"},
	} {
		m, err := ir.Parse("p.ir", fmt.Sprintf(`module "p"
opset 20, "ai.bytesandbrains.role.model" 1, "ai.bytesandbrains.syscall" 1
meta "ai.bytesandbrains.binding.a.m" = "{\"Role\":\"model\",\"Model\":\"m.onnx\",\"Train\":{}}"

func @main(%%a.x: float32[2]) -> () {
  %%x = "ai.bytesandbrains.syscall":PassThrough(%%a.x) @a
  %s
}
`, strings.Join(c.calls, "\n  ")))
		if err == nil {
			err = pass.Run(m, pass.Pipeline, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		prog, err := partitioner.Make(m, partitioner.Options{Command: func(*partitioner.Slot, *ir.Node) bool { return true }})
		if err != nil {
			t.Fatal(err)
		}
		how := train.Options{Loss: train.Loss{Name: c.loss}}
		err = asCalled(&how, bind.CalledOf(prog.Parts[0], prog.Parts[0].Slots[0].Name))
		got := fmt.Sprintf("backward %v, gradients of inputs %v", how.Backward, how.InputGradients)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", strings.Join(c.calls, "\n"), got, c.want)
		}
	}
}

// TestOptimizer tests that a model without training calls needs no optimizer, and that the error for a
// trained model without one names the call.
func TestOptimizer(t *testing.T) {
	step := &ir.Node{Op: "TrainStep", Pos: "p.go:3"}
	for _, c := range []struct {
		name   string
		trains *ir.Node
		want   string
	}{
		{"", nil, "sgd"},
		{"adam", nil, "adam"},
		{"adam", step, "adam"},
		{"", step, `p.go:3: TrainStep trains the model: no optimizer ""; there are: adagrad, adam, adamw, lamb, lion, muon, rmsprop, sgd, momentum, nesterov: say which in dsl.Train`},
		{"adom", nil, `no optimizer "adom"; there are: adagrad, adam, adamw, lamb, lion, muon, rmsprop, sgd, momentum, nesterov`},
	} {
		o, err := optimizer(c.name, c.trains)
		got := o.Name
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: got %s, want %s", c.name, got, c.want)
		}
	}
}

// TestPackageName: packages of models have names that Go accepts, and one each.
func TestPackageName(t *testing.T) {
	used := map[string]bool{}
	for _, c := range [][2]string{{"Model", "model"}, {"model", "model_2"}, {"MODEL", "model_3"}, {"Type", "modeltype"}, {"Main", "modelmain"}, {"Vendor", "modelvendor"},
		{"_X", "model_x"}, {"Teachers0", "teachers0"}} {
		if got := packageName(c[0], used); got != c[1] {
			t.Errorf("slot %s has the package %s, want %s", c[0], got, c[1])
		}
	}
}
