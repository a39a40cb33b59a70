package backend

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	_ "github.com/bbgen/bbgen/ir/op/all" // the table
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// number is the form in which an engine has tensors of one element.
type number float64

// engine counts the conversions.
type engine struct {
	Graphs[*number]
	made, read int
	fails      error
}

func newEngine() *engine {
	e := &engine{}
	e.Engine = e
	return e
}

var _ model.Backend = (*engine)(nil)

func (*engine) Operators() []string { return []string{"Add", "Clip", "LSTM", "LeakyRelu", "Split"} }

func (e *engine) Materialize(x *tensor.Tensor) (*number, error) {
	e.made++
	v := number(tensor.Data[float32](x)[0])
	return &v, e.fails
}

func (e *engine) Read(v *number) (*tensor.Tensor, error) {
	e.read++
	return tensor.Of([]float32{float32(*v)}), nil
}

func (e *engine) Execute(_ context.Context, o *Operation, in []*number) ([]*number, error) {
	x := *in[0]
	switch o.Type {
	case "Add":
		x += *in[1]
	case "Clip":
		if in[1] != nil { // the lower bound, which may be left out
			x = max(x, *in[1])
		}
		x = min(x, *in[2])
	case "LeakyRelu":
		if x < 0 {
			x *= number(o.Attrs["alpha"].(float32))
		}
	case "LSTM":
		return []*number{in[1], in[0]}, nil
	case "Split":
		return []*number{in[0]}, nil // too few
	}
	return []*number{&x}, nil
}

// The graphs of the tests: of three operators, of one that the engine does not know, and of one that it gets wrong.
const (
	graph1 = `(%x: float32[]) -> (%y) {
  const %one: float32[] = 1
  const %three: float32[] = 3

  %a = Add(%x, %one)
  %b = Clip(%a, _, %three)
  %y = LeakyRelu(%b) {alpha = 0.5}
}`
	graphUnknown = `(%x: float32[]) -> (%y) {
  %y = Softmax(%x)
}`
	graphLeftOut = `(%x: float32[]) -> (%y) {
  const %three: float32[] = 3

  _, %h = LSTM(%x, %three, %three) {hidden_size = 1}
  %y = Clip(%h, _, %three)
}`
	graphSplit = `(%x: float32[]) -> (%y, %z) {
  %y, %z = Split(%x) {axis = 0, num_outputs = 2}
}`
)

// encoded returns a model, whose main function is in the text form of package ir.
func encoded(t *testing.T, main string) []byte {
	t.Helper()
	m, err := ir.Parse("m.ir", "module \"m\"\nfile \"m.onnx\"\nopset 21\n\nfunc @main"+main+"\n")
	if err != nil {
		t.Fatal(err)
	}
	b, err := onnx.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A graph is computed node by node; weights are materialized once, inputs in each run, and values that nothing reads any
// more are forgotten.
func TestGraphs(t *testing.T) {
	e := newEngine()
	if err := e.Load(0, encoded(t, graph1)); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float32{-0.25, 3} {
		x := []float32{-1.5, 4}[i]
		if err := e.Run(context.Background(), 0, tensor.Of([]float32{x})); err != nil {
			t.Fatal(err)
		}
		y, err := e.Retrieve(0, 0)
		if err != nil || tensor.Data[float32](y)[0] != want {
			t.Errorf("%v becomes %v (%v), want %v", x, y, err, want)
		}
	}
	if e.made != 2+2 || e.read != 2 {
		t.Errorf("%d values were materialized and %d read, want 2 weights, 2 inputs and 2 outputs", e.made, e.read)
	}
	if left := slices.Sorted(maps.Keys(e.graphs[0].values)); len(left) != 3 {
		t.Errorf("left are %v, want the weights and the output", left)
	}
}

// An output that is left out is no input that is left out.
func TestLeftOut(t *testing.T) {
	e := newEngine()
	if err := e.Load(0, encoded(t, graphLeftOut)); err != nil {
		t.Fatal(err)
	}
	if err := e.Run(context.Background(), 0, tensor.Of([]float32{2})); err != nil {
		t.Fatal(err)
	}
	if y, err := e.Retrieve(0, 0); err != nil || tensor.Data[float32](y)[0] != 2 {
		t.Errorf("2 becomes %v (%v), want 2: a lower bound of 3 belongs to nothing", y, err)
	}
}

// Errors name the node.
func TestErrors(t *testing.T) {
	e := newEngine()
	wantError(t, e.Load(0, encoded(t, graphUnknown)), `the engine has no operator Softmax, only [Add Clip LSTM LeakyRelu Split]`)
	wantError(t, e.Load(1, nil), "graph 1 comes after 0 graphs")
	wantError(t, e.Load(0, []byte{0xff}), "backend: ")
	if err := e.Load(0, encoded(t, graph1)); err != nil {
		t.Fatal(err)
	}
	if err := e.Load(1, encoded(t, graphSplit)); err != nil {
		t.Fatal(err)
	}
	_, err := e.Retrieve(0, 0)
	wantError(t, err, "graph 0 has not run")
	x := tensor.Of([]float32{1})
	wantError(t, e.Run(context.Background(), 0), "got 0 inputs, want 1")
	wantError(t, e.Run(context.Background(), 1, x), "(Split): the engine returns 1 outputs, want 2")
	over, cancel := context.WithCancel(context.Background())
	cancel()
	wantError(t, e.Run(over, 0, x), "context canceled")
	e.fails = errors.New("the device is full")
	wantError(t, e.Run(context.Background(), 0, x), `input "x": the device is full`)
}

func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(fmt.Sprint(err), text) {
		t.Errorf("got %v, want %s", err, text)
	}
}

// Bytes that are no model are refused without a panic.
func FuzzReadModel(f *testing.F) {
	f.Add([]byte{0x3a, 2, 0x0a, 0})
	f.Fuzz(func(_ *testing.T, b []byte) { readModel(b) })
}
