package ir_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestText reads modules, verifies them and prints them. The text in out/print is read as the same module
// again.
func TestText(t *testing.T) {
	golden.Run(t, "testdata/text_*.txtar", func(t *testing.T, a *golden.Archive) {
		m, err := ir.Parse("in.ir", a.Get("in.ir"))
		if err != nil {
			t.Fatal(err)
		}
		if err := ir.Verify(m); err != nil {
			t.Error(err)
		}
		if err := ir.VerifyShapes(m); err != nil {
			t.Error(err)
		}
		text := ir.Print(m)
		a.Check("out/print", text)
		again(t, text)
		if got := ir.Print(m.Clone()); got != text {
			t.Errorf("the clone differs:\n%s", got)
		}
	})
}

// TestClone copies the main function under fresh names.
func TestClone(t *testing.T) {
	golden.Run(t, "testdata/clone_*.txtar", func(t *testing.T, a *golden.Archive) {
		m, err := ir.Parse("in.ir", a.Get("in.ir"))
		if err != nil {
			t.Fatal(err)
		}
		before := ir.Print(m)
		c := m.Clone()
		c.Main = ir.CloneFunc(c, c.Main, "copy/")
		if err := errors.Join(ir.Verify(c), ir.VerifyShapes(c)); err != nil {
			t.Error(err)
		}
		a.Check("out/clone", ir.Print(c))
		c.Main.Body.Walk(func(n *ir.Node) { // changes of the copy must not affect the original
			clear(n.In)
			clear(n.Out)
			clear(n.Attrs)
			clear(n.Syms)
			n.Regions = nil
		})
		if ir.Print(m) != before {
			t.Error("the original has changed")
		}
	})
}

// TestBad shows the errors of invalid modules.
func TestBad(t *testing.T) {
	golden.Run(t, "testdata/bad_*.txtar", func(t *testing.T, a *golden.Archive) {
		for _, name := range a.Sections() {
			out, ok := strings.CutSuffix(name, ".ir")
			if !ok {
				continue
			}
			m, err := ir.Parse(name, a.Get(name))
			if err == nil {
				err = ir.Verify(m)
			}
			if err == nil {
				err = ir.VerifyShapes(m)
			}
			if err == nil {
				t.Errorf("%s: no error", name)
				continue
			}
			a.Check("out/"+out, err.Error())
		}
	})
}

// again checks that the text of a module is read as the same module.
func again(t *testing.T, text string) *ir.Module {
	t.Helper()
	m, err := ir.Parse("again.ir", text)
	if err != nil {
		t.Fatalf("printed text does not parse: %v\n%s", err, text)
	}
	if got := ir.Print(m); got != text {
		t.Fatalf("text changed:\n%s\nbefore:\n%s", got, text)
	}
	return m
}

// TestNames prints names that could be mistaken for other tokens.
func TestNames(t *testing.T) {
	names := []string{"x", "/layer1/conv/Conv_output_0", "a::b", "a:", "a.", "a-", "-", "", "_", "a b", "ünï", `"`, "\n", "\xff", "123", "const", "%", "//", "x->y"}
	b := &ir.Builder{Module: &ir.Module{Name: "names", Main: &ir.Func{Body: &ir.Region{}}}}
	for _, n := range names {
		v := &ir.Value{Name: n, Doc: n}
		node := &ir.Node{
			Op: n, Domain: n, Name: n + "!", In: []*ir.Value{v, nil}, Class: n, Pos: n, Over: n, Syms: []string{n}, Local: true,
			Regions: []*ir.Region{{Name: n}},
		}
		out := &ir.Value{Name: n + "'", Def: node, Type: ir.Type{Kind: ir.Opaque, Name: n}, Elems: []ir.Dim{ir.Sym(n), ir.Sym(n)}, ElemSyms: []string{"", n}}
		node.Out = []*ir.Value{nil, out}
		node.Attrs.Set(n, n)
		node.Attrs.Set(n+"!", ir.Ref(n))
		b.Add(node)
		b.Module.Main.Body.Params = append(b.Module.Main.Body.Params, v)
	}
	m := b.Module
	m.Main.Body.Nodes = b.Nodes
	got := again(t, ir.Print(m))
	for i, n := range names {
		x := got.Main.Body.Nodes[i]
		if x.Op != n || x.Domain != n || x.Name != n+"!" || x.In[0].Name != n || x.Class != n || x.Pos != n || x.Over != n ||
			x.Syms[0] != n || x.Regions[0].Name != n || x.Attrs.Lookup(n) != n || x.Out[1].Type.Name != n || x.In[0].Doc != n {
			t.Errorf("%q: got %+v", n, x)
		}
		if n != "" && (!x.Out[1].Elems[1].Equal(ir.Sym(n)) || x.Out[1].ElemSyms[1] != n) {
			t.Errorf("symbol %q: got %v %q", n, x.Out[1].Elems, x.Out[1].ElemSyms)
		}
	}
}

// TestConstants prints a tensor of every dtype, with all critical values.
func TestConstants(t *testing.T) {
	inf := math.Inf(1)
	var consts []*tensor.Tensor
	for d := tensor.Float32; d.Valid(); d++ {
		consts = append(consts, tensor.New(d), tensor.New(d, 0), tensor.New(d, 2, 0), tensor.New(d, 2, 1, 3), tensor.New(d, 8, 9))
	}
	consts = append(consts,
		tensor.Of([]float32{0, float32(math.Copysign(0, -1)), 0.1, 1e-45, 3.4028235e38, float32(inf), float32(-inf), 16777216}, 8),
		tensor.Of([]float64{0.1, 5e-324, 1.7976931348623157e308, inf, -inf, 1.0 / 3}, 6),
		tensor.Of([]int64{math.MinInt64, math.MaxInt64}, 2),
		tensor.Of([]uint64{0, math.MaxUint64}, 2),
		tensor.Of([]int8{-128, 127}, 2),
		tensor.Of([]bool{true, false}, 2),
		tensor.Of([]string{"", "a\"b", "\xff\n", "%x"}, 4),
		tensor.Of([]complex64{complex(float32(0.1), float32(-inf))}, 1),
		tensor.Of([]complex128{complex(0.1, math.Copysign(0, -1))}, 1),
		tensor.Of([]tensor.I4{-8, 7}, 2),
		tensor.Of([]tensor.U2{3}, 1),
		tensor.Of([]tensor.F4E2M1{0, 1, 8, 15}, 4),
		bits[tensor.F16](1<<16, func(x tensor.F16) float32 { return x.Float32() }),
		bits[tensor.BF16](1<<16, func(x tensor.BF16) float32 { return x.Float32() }),
		bits[tensor.F8E4M3FN](1<<8, func(x tensor.F8E4M3FN) float32 { return x.Float32() }),
		bits[tensor.F8E4M3FNUZ](1<<8, func(x tensor.F8E4M3FNUZ) float32 { return x.Float32() }),
		bits[tensor.F8E5M2](1<<8, func(x tensor.F8E5M2) float32 { return x.Float32() }),
		bits[tensor.F8E5M2FNUZ](1<<8, func(x tensor.F8E5M2FNUZ) float32 { return x.Float32() }),
		bits[tensor.F8E8M0](1<<8, func(x tensor.F8E8M0) float32 { return x.Float32() }),
	)
	for _, c := range consts {
		for _, part := range parts(c) {
			v := ir.NewConst("c", part)
			n := &ir.Node{Op: "Use", In: []*ir.Value{v}}
			n.Attrs.Set("t", part)
			n.Attrs.Set("ts", []*tensor.Tensor{part, part})
			m := &ir.Module{Main: &ir.Func{Body: &ir.Region{Nodes: []*ir.Node{n}}, State: []*ir.State{
				{Kind: ir.Parameter, Param: &ir.Value{Name: "s"}, Next: v, Init: part},
			}}}
			got := again(t, ir.Print(m))
			if err := ir.Verify(got); err != nil {
				t.Fatal(err)
			}
			x := got.Main.Body.Nodes[0]
			for _, y := range []*tensor.Tensor{x.In[0].Const, x.TensorAttr("t"), x.Attrs.Lookup("ts").([]*tensor.Tensor)[1], got.Main.State[0].Init} {
				if !tensor.Equal(y, part) {
					t.Fatalf("%s: got %v, want %v", part, y.Data, part.Data)
				}
			}
		}
	}
}

// bits returns every number below n that is not NaN.
func bits[T interface {
	tensor.Element
	~uint8 | ~uint16
}](n int, float func(T) float32) *tensor.Tensor {
	var d []T
	for i := range n {
		if x := T(i); !math.IsNaN(float64(float(x))) {
			d = append(d, x)
		}
	}
	return tensor.Of(d, len(d))
}

// parts splits a long vector into tensors that are printed completely.
func parts(t *tensor.Tensor) []*tensor.Tensor {
	switch d := t.Data.(type) {
	case []tensor.F16:
		return cut(t, d)
	case []tensor.BF16:
		return cut(t, d)
	case []tensor.F8E4M3FN:
		return cut(t, d)
	case []tensor.F8E4M3FNUZ:
		return cut(t, d)
	case []tensor.F8E5M2:
		return cut(t, d)
	case []tensor.F8E5M2FNUZ:
		return cut(t, d)
	case []tensor.F8E8M0:
		return cut(t, d)
	}
	return []*tensor.Tensor{t}
}

func cut[T tensor.Element](t *tensor.Tensor, d []T) []*tensor.Tensor {
	if len(t.Shape) != 1 || len(d) <= ir.MaxPrinted {
		return []*tensor.Tensor{t}
	}
	var out []*tensor.Tensor
	for len(d) > 0 {
		n := min(len(d), ir.MaxPrinted)
		out = append(out, tensor.Of(d[:n], n))
		d = d[n:]
	}
	return out
}

// TestAttrs prints attributes of every kind.
func TestAttrs(t *testing.T) {
	values := []any{
		int64(-1), 0.5, 1.0, 0.1, float64(float32(0.1)), 1e300, 1e20, math.Inf(-1), math.Copysign(0, -1), "a", "",
		[]int64{}, []int64{1, -2}, []float64{}, []float64{1, 0.25}, []float64{0.1}, []string{}, []string{"a"}, []*tensor.Tensor{},
		ir.Ref("alpha"), ir.Type{}, ir.SequenceOf(ir.TensorOf(tensor.Int4, ir.Sym("n"))),
	}
	for _, want := range values {
		n := &ir.Node{Op: "Use"}
		n.Attrs.Set("a", want)
		m := &ir.Module{Main: &ir.Func{Body: &ir.Region{Nodes: []*ir.Node{n}}}}
		text := ir.Print(m)
		got := again(t, text).Main.Body.Nodes[0].Attrs.Lookup("a")
		if !same(got, want) {
			t.Errorf("got %#v, want %#v, printed as\n%s", got, want, text)
		}
	}
}

// TestDims prints types with dims that are expressions.
func TestDims(t *testing.T) {
	n, m := ir.Sym("n"), ir.Sym("past length + 1")
	dims := []ir.Dim{
		ir.C(0), ir.C(-1), ir.C(math.MinInt), n, m, n.Mul(n).Add(ir.C(-3).Mul(m)).Sub(ir.C(7)),
		n.Div(ir.C(2)), n.CeilDiv(m), n.Sub(m).Mod(ir.C(3)).Mul(n), n.Max(m).Add(ir.C(-1).Mul(n.Min(m))), n.Bcast(m),
		ir.Sym("max").Max(ir.C(1)), ir.Sym("2"), ir.Sym("?"), ir.Sym("let"), n.Div(ir.C(0)),
	}
	for _, d := range dims {
		for _, typ := range []ir.Type{ir.TensorOf(tensor.Undefined, d, d), ir.OptionalOf(ir.SequenceOf(ir.TensorOf(tensor.Bool, d)))} {
			v := &ir.Value{Name: "x", Type: typ, Elems: []ir.Dim{d, n}}
			mod := &ir.Module{Main: &ir.Func{Body: &ir.Region{Params: []*ir.Value{v}}}}
			got := again(t, ir.Print(mod)).Main.Body.Params[0]
			if !got.Type.Equal(typ) || !got.Elems[0].Equal(d) {
				t.Errorf("got %s %v, want %s %v", got.Type, got.Elems, typ, v.Elems)
			}
		}
	}
}

func same(a, b any) bool {
	if t, ok := a.(ir.Type); ok {
		u, ok := b.(ir.Type)
		return ok && t.Equal(u)
	}
	return goText(a) == goText(b)
}

func goText(v any) string { return fmt.Sprintf("%T %#v", v, v) }
