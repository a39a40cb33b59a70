package grad_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/grad"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestGradients compares the gradient of each case with central differences, in
// float64. An operator that has a gradient, by a rule or by what it is made of,
// must have a case, unless a plain one does.
func TestGradients(t *testing.T) {
	seen := map[*op.Op]bool{}
	for _, c := range cases(t) {
		seen[op.Find(c.domain, c.op)] = true
		t.Run(c.line, func(t *testing.T) { checkGradient(t, &c) })
	}
	for _, o := range op.All() {
		if o.Stops != "" || o.Flow != op.NoFlow || o.Synonym() || seen[o] {
			continue
		}
		c, err := plainCase(o)
		if err != nil {
			t.Error(err)
			continue
		}
		t.Run(c.line, func(t *testing.T) { checkGradient(t, &c) })
	}
}

// plainCase is the case of an elementwise operator of which testdata has none: any numbers
// for the inputs that it must have, and a second derivative.
func plainCase(o *op.Op) (testCase, error) {
	name := strings.TrimPrefix(o.Key(), ":")
	if o.Pointwise == nil && !o.Broadcasts {
		return testCase{}, fmt.Errorf("%s has a gradient, but no case in testdata", name)
	}
	return parseCase(name + "(" + strings.Join(slices.Repeat([]string{"x[2,3]"}, o.In().Min), ", ") + ") twice")
}

func TestPlainCase(t *testing.T) {
	for name, want := range map[string]string{
		"Tanh":   "Tanh(x[2,3]) twice",
		"Sub":    "Sub(x[2,3], x[2,3]) twice",
		"MatMul": "MatMul has a gradient, but no case in testdata",
	} {
		c, err := plainCase(op.Find("", name))
		got := c.line
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
		if err == nil {
			checkGradient(t, &c)
		}
	}
}

func checkGradient(t *testing.T, c *testCase) {
	b, n, in := c.module()
	m, xs := b.Module, b.Module.Main.Body.Params
	y := lossOf(b, n.Out)
	if err := b.Err(); err != nil {
		t.Fatal(err)
	}
	m.Main.Body.Nodes = b.Nodes
	dxs := checkOnce(t, c, m, y, xs, in)
	if !c.twice || t.Failed() {
		return
	}
	b = &ir.Builder{Module: m, Infer: op.Inferrer{}, Prefix: "second/"}
	y = lossOf(b, dxs)
	m.Main.Body.Nodes = append(m.Main.Body.Nodes, b.Nodes...)
	checkOnce(t, c, m, y, xs, in)
}

// lossOf is Σ sin(v + i) over the elements of all values: a number that hangs
// on each element in its own way.
func lossOf(b *ir.Builder, vs []*ir.Value) *ir.Value {
	sum := b.Scalar(tensor.Float64, 0)
	for i, v := range vs {
		if v == nil {
			continue
		}
		if v.Type.Elem != tensor.Float64 {
			v = op.Cast(b, v, tensor.Float64)
		}
		s := b.Op("Sin", b.Op("Add", v, b.Scalar(tensor.Float64, float64(i))))
		sum = b.Op("Add", sum, b.OpA("ReduceSum", ir.Attrs{{Name: "keepdims", Value: int64(0)}}, s))
	}
	return sum
}

// checkOnce adds the gradient of y to m and compares it with differences of y.
func checkOnce(t *testing.T, c *testCase, m *ir.Module, y *ir.Value, xs []*ir.Value, in []tensor.Value) []*ir.Value {
	t.Helper()
	body := m.Main.Body
	body.Results = []*ir.Value{y}
	forward := m.Clone()
	dxs, err := grad.Gradients(m, body, y, xs)
	if err != nil {
		t.Fatal(err)
	}
	body.Results = append(body.Results, dxs...)
	backward := m.Clone()
	run(t, forward, nil)
	run(t, backward, nil)
	got := run(t, backward, in)[1:]
	for i := range xs {
		want := differences(t, forward, in, i)
		if err := near(got[i].(*tensor.Tensor), want, c.tolerance()); err != nil {
			t.Errorf("input %d: %v", i, err)
		}
	}
	return dxs
}

// run lowers m, or runs it if there are inputs.
func run(t *testing.T, m *ir.Module, in []tensor.Value) []tensor.Value {
	t.Helper()
	if in == nil {
		if err := pass.Run(m, []*pass.Pass{pass.Expand, pass.Fold, pass.CSE, pass.DCE}, nil); err != nil {
			t.Fatal(err)
		}
		return nil
	}
	out, err := eval.Run(m.Main, in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// differences is the derivative of m's result by input i, by differences of
// the fourth order.
func differences(t *testing.T, m *ir.Module, in []tensor.Value, i int) *tensor.Tensor {
	t.Helper()
	const h = 1e-3
	x := tensor.Data[float64](in[i].(*tensor.Tensor))
	out := in[i].(*tensor.Tensor).Clone()
	for k, v := range x {
		at := func(d float64) float64 {
			x[k] = v + d
			return tensor.Data[float64](run(t, m, in)[0].(*tensor.Tensor))[0]
		}
		tensor.Data[float64](out)[k] = (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
		x[k] = v
	}
	return out
}

// tolerance is the relative error that a gradient may have.
func (c *testCase) tolerance() float64 {
	if c.coarse {
		return 1e-3
	}
	return 1e-6
}

// near reports an error above rel of the largest element.
func near(got, want *tensor.Tensor, rel float64) error {
	if fmt.Sprint(got.Shape) != fmt.Sprint(want.Shape) {
		return fmt.Errorf("gradient has shape %v, want %v", got.Shape, want.Shape)
	}
	g, w := tensor.Data[float64](got), tensor.Data[float64](want)
	scale := 1e-3
	for _, v := range w {
		scale = max(scale, math.Abs(v))
	}
	for k := range w {
		if d := math.Abs(g[k] - w[k]); !(d <= rel*scale) {
			return fmt.Errorf("element %d is %.9g, differences say %.9g\ngradient:    %v\ndifferences: %v", k, g[k], w[k], g, w)
		}
	}
	return nil
}
