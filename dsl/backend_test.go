package dsl_test

import (
	"regexp"
	"testing"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Device is an engine that has some operators.
type Device struct{ Has []string }

func (d *Device) Operators() []string { return d.Has }

// classifier computes MLP on an engine.
type classifier struct{ Engine dsl.Backend }

func (c classifier) Body(g *dsl.Graph) {
	y := c.Engine.Run(g, MLP{}, dsl.Args{"x": g.Input("x", dsl.Float32(dsl.Any, 4))})
	g.Output("y", y.Output("y"))
}

// record records the program of a class that computes MLP on an engine.
func record(device any) ([]byte, error) {
	bind := dsl.Go(device)
	return dsl.Build(dsl.Program{Name: "classify", Modules: []dsl.Module{classifier{dsl.Backend{Bind: bind}}}})
}

// TestOperators checks that a graph with operators that its engine does not have is refused when the program is recorded, and
// that an engine without a list is asked later.
func TestOperators(t *testing.T) {
	for _, engine := range []any{Device{Has: []string{"Softmax", "MatMul"}}, Device{}, Odd{}} {
		if _, err := record(engine); err != nil {
			t.Errorf("%+v: %v", engine, err)
		}
	}
	_, err := record(Device{Has: []string{"Relu", "MatMul", "Add"}})
	const want = `backend_test.go:N: Run: node "classifier/MLP/y" (Softmax, everything_test.go:N): the engine Device in slot Engine of class classifier has no operator Softmax, ` +
		`only Add, MatMul, Relu: add it to Operators and Execute, or compute that node outside of Run`
	if got := regexp.MustCompile(`\S*?(\w+\.go):\d+`).ReplaceAllString(errorText(err), "$1:N"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestWeights checks that an engine gets the constants of a graph as initializers, which it materializes once: Constant is no
// operator that engines have.
func TestWeights(t *testing.T) {
	b, err := record(Device{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := onnx.Decode("classify", b, nil)
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	for _, f := range m.AllFuncs() {
		f.Body.Walk(func(n *ir.Node) {
			if op.Lookup(n) != peer.BackendRun {
				return
			}
			runs++
			graph, err := onnx.Decode("graph", tensor.Data[uint8](n.Attrs.Lookup("graph").(*tensor.Tensor)), nil)
			if err != nil {
				t.Fatal(err)
			}
			if nodes := graph.Main.Body.Nodes; len(nodes) != 2 || len(graph.Main.Consts()) != 1 {
				t.Errorf("got nodes %v and %d initializers, want MatMul, Softmax and a weight", nodes, len(graph.Main.Consts()))
			}
		})
	}
	if runs != 1 {
		t.Errorf("got %d graphs, want 1", runs)
	}
}
