package exec

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
)

func TestMain(m *testing.M) {
	eval.Native()
	os.Exit(m.Run())
}

// budget is memory with a limit.
type budget struct{ used, limit int }

var errFull = errors.New("memory is full")

func (b *budget) Take(n int) error {
	if n > b.limit-b.used {
		return errFull
	}
	b.used += n
	return nil
}

func (b *budget) Give(n int) { b.used -= n }

// run makes an operation and runs it.
func run(o *Operation, b *budget, in ...*tensor.Tensor) ([]*tensor.Tensor, error) {
	g, err := o.Make(in, b)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	return g.Run(context.Background(), slices.DeleteFunc(slices.Clone(in), func(t *tensor.Tensor) bool { return t == nil }))
}

func vec(x ...float32) *tensor.Tensor { return tensor.Of(x, len(x)) }

func ints(x ...int64) *tensor.Tensor { return tensor.Of(x, len(x)) }

func TestOperations(t *testing.T) {
	axis := func(n int64) ir.Attrs { return ir.Attrs{{Name: "axis", Value: n}} }
	for _, c := range []struct {
		op   Operation
		in   []*tensor.Tensor
		want *tensor.Tensor
	}{
		{Operation{Name: "Add"}, []*tensor.Tensor{vec(1, 2), vec(10, 20)}, vec(11, 22)},
		{Operation{Name: "Softmax", Attrs: axis(0)}, []*tensor.Tensor{vec(0, 0)}, vec(0.5, 0.5)},
		{Operation{Name: "Relu"}, []*tensor.Tensor{vec(-1, 2)}, vec(0, 2)},
		{Operation{Name: "Clip"}, []*tensor.Tensor{vec(-1, 2, 5), nil, tensor.Of([]float32{3})}, vec(-1, 2, 3)},
		{Operation{Name: "Reshape"}, []*tensor.Tensor{vec(1, 2, 3, 4), ints(2, -1)}, tensor.Of([]float32{1, 2, 3, 4}, 2, 2)}, // the size is known only at run time
		{Operation{Name: "NonZero"}, []*tensor.Tensor{vec(0, 2, 3)}, tensor.Of([]int64{1, 2}, 1, 2)},
		{Operation{Name: "Identity"}, []*tensor.Tensor{vec(1, 2)}, vec(1, 2)},
		{Operation{Name: "StringConcat"}, []*tensor.Tensor{tensor.Of([]string{"a"}, 1), tensor.Of([]string{"b"}, 1)}, tensor.Of([]string{"ab"}, 1)},
		{Operation{Name: "HardSigmoid"}, []*tensor.Tensor{vec(0)}, vec(0.5)},
		{Operation{Name: "LayerNormalization"}, []*tensor.Tensor{vec(-1, 1), vec(1, 1)}, vec(-0.999995, 0.999995)}, // defined by other operators
	} {
		c.op.Outputs = 1
		b := &budget{limit: 1 << 20}
		got, err := run(&c.op, b, c.in...)
		if err != nil {
			t.Errorf("%s: %v", &c.op, err)
			continue
		}
		if !near(got[0], c.want) {
			t.Errorf("%s: got %v %v, want %v %v", &c.op, got[0], got[0].Data, c.want, c.want.Data)
		}
		if want := Bytes(got[0]); b.used != want {
			t.Errorf("%s: %d bytes are taken, want %d, those of the output", &c.op, b.used, want)
		}
	}
}

func near(a, b *tensor.Tensor) bool {
	if a.DType != tensor.Float32 || b.DType != tensor.Float32 {
		return tensor.Equal(a, b)
	}
	return slices.Equal(a.Shape, b.Shape) && slices.EqualFunc(tensor.Data[float32](a), tensor.Data[float32](b), func(x, y float32) bool {
		return math.Abs(float64(x-y)) < 1e-5
	})
}

func TestErrorsNameTheOperator(t *testing.T) {
	for _, c := range []struct {
		op   Operation
		in   []*tensor.Tensor
		want string
	}{
		{Operation{Name: "Nonsense"}, nil, "Nonsense: no such operator"},
		{Operation{Name: "If"}, []*tensor.Tensor{tensor.Of([]bool{true})}, "If: has graphs inside"},
		{Operation{Name: "MatMul"}, []*tensor.Tensor{vec(1, 2), vec(1, 2, 3)}, "MatMul"},
		{Operation{Name: "Add"}, []*tensor.Tensor{vec(1)}, "(Add)"},
		{Operation{Name: "Add"}, []*tensor.Tensor{vec(1), ints(1)}, "(Add)"},
		{Operation{Name: "Gather"}, []*tensor.Tensor{vec(1), ints(7)}, "(Gather)"},
		{Operation{Name: "Softmax", Attrs: ir.Attrs{{Name: "axs", Value: int64(1)}}}, []*tensor.Tensor{vec(1)}, "axs"},
		{Operation{Name: "Send", Domain: peer.WireDomain}, []*tensor.Tensor{vec(1)}, "distributed"},
	} {
		c.op.Outputs = 1
		b := &budget{limit: 1 << 20}
		_, err := run(&c.op, b, c.in...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", &c.op, err, c.want)
		}
		if b.used != 0 {
			t.Errorf("%s: %d bytes are taken after the error", &c.op, b.used)
		}
	}
}

// Results beyond the client's memory are refused before they are allocated.
func TestMemoryIsBounded(t *testing.T) {
	for _, c := range []struct {
		op Operation
		in []*tensor.Tensor
	}{
		{Operation{Name: "Expand"}, []*tensor.Tensor{vec(1), ints(1 << 36)}},
		{Operation{Name: "ConstantOfShape"}, []*tensor.Tensor{ints(1<<20, 1<<14)}},
		{Operation{Name: "Add"}, []*tensor.Tensor{tensor.New(tensor.Float32, 1<<10, 1), tensor.New(tensor.Float32, 1, 1<<10)}},
		{Operation{Name: "RandomUniform", Attrs: ir.Attrs{{Name: "shape", Value: []int64{1 << 40}}}}, nil},
	} {
		c.op.Outputs = 1
		b := &budget{limit: 1 << 20}
		if _, err := run(&c.op, b, c.in...); err == nil {
			t.Errorf("%s: got no error", &c.op)
		}
		if b.used != 0 {
			t.Errorf("%s: %d bytes are taken after the error", &c.op, b.used)
		}
	}
}

// An endless loop ends with its client.
func TestEndlessLoopIsStopped(t *testing.T) {
	g := parse(t, `
func @main(%x: float32[1]) -> (%y) {
  const %trips: int64[] = 4611686018427387904
  %y = Loop(%trips, _, %x)
    body(%i, %go, %a) -> (%on, %b) {
      %b = Add(%a, %a)
      %on = Identity(%go)
    }
}`)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		_, err := g.Run(ctx, []*tensor.Tensor{vec(1)})
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func parse(t *testing.T, text string) *Graph {
	t.Helper()
	m, err := ir.Parse("test.ir", "module \"test\"\nopset 28\n"+text)
	if err != nil {
		t.Fatal(err)
	}
	return newGraph(m, &budget{limit: 1 << 30})
}

// A graph with symbolic sizes is compiled for each shape, and has the results of the evaluator.
func TestGraphOfSymbolicSizes(t *testing.T) {
	g := parse(t, `
func @main(%x: float32[n,4], %w: float32[4,3]) -> (%y, %x, %s) {
  %a = MatMul(%x, %w)
  %b = Relu(%a)
  %c = Add(%b, %b)
  %y = Mul(%c, %b)
  %s = Shape(%x)
}`)
	for _, n := range []int{1, 3, 64, 3} {
		x, w := tensor.New(tensor.Float32, n, 4), tensor.New(tensor.Float32, 4, 3)
		for i := range tensor.Data[float32](x) {
			tensor.Data[float32](x)[i] = float32(i%7) - 3
		}
		for i := range tensor.Data[float32](w) {
			tensor.Data[float32](w)[i] = float32(i%5) - 2
		}
		out, err := g.Run(context.Background(), []*tensor.Tensor{x, w})
		if err != nil {
			t.Fatal(err)
		}
		if !near(out[0], product(x, w)) || !tensor.Equal(out[1], x) || !tensor.Equal(out[2], ints(int64(n), 4)) {
			t.Errorf("n = %d: got %v", n, out[0].Data)
		}
	}
	if len(g.variants) != 3 {
		t.Errorf("there are %d variants, want 3", len(g.variants))
	}
	for key, v := range g.variants {
		if v.program == nil {
			t.Errorf("%s is evaluated, want it planned", key)
		}
	}
}

// product is 2·relu(x·w)².
func product(x, w *tensor.Tensor) *tensor.Tensor {
	y := tensor.New(tensor.Float32, x.Shape[0], w.Shape[1])
	a, b, c := tensor.Data[float32](x), tensor.Data[float32](w), tensor.Data[float32](y)
	for i := range x.Shape[0] {
		for j := range 3 {
			sum := float32(0)
			for k := range 4 {
				sum += a[i*4+k] * b[k*3+j]
			}
			c[i*3+j] = 2 * max(sum, 0) * max(sum, 0)
		}
	}
	return y
}

func TestInputsAreCompared(t *testing.T) {
	g := parse(t, "func @main(%x: float32[n,4], %z: float32[n]) -> (%y) {\n  %y = Relu(%x)\n}")
	f := func(shape ...int) *tensor.Tensor { return tensor.New(tensor.Float32, shape...) }
	for _, c := range []struct {
		in   []*tensor.Tensor
		want string
	}{
		{[]*tensor.Tensor{f(2, 4)}, "got 1 inputs, want 2"},
		{[]*tensor.Tensor{f(2, 4), ints(2)}, `input "z" is int64[1], want float32[n]`},
		{[]*tensor.Tensor{f(2, 5), f(2)}, `input "x": axis 1 is 5, want 4`},
		{[]*tensor.Tensor{f(2, 4), f(3)}, `input "z": axis 0 is 3, want n = 2`},
	} {
		if _, err := g.Run(context.Background(), c.in); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
