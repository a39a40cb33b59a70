package gradcheck

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/grad"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Plain returns a default case for an elementwise operator: any numbers for the required inputs, and a second
// derivative.
func Plain(o *op.Op) (*Case, error) {
	name := strings.TrimPrefix(o.Key(), ":")
	if o.Pointwise == nil && !o.Broadcasts {
		return nil, fmt.Errorf("%s has a gradient, but no case in testdata/gradients.txt", name)
	}
	return Parse(name + "(" + strings.Join(slices.Repeat([]string{"x[2,3]"}, o.In().Min), ", ") + ") twice")
}

// Check compares the gradient of the case with differences, and the second derivative if the case has the
// word twice.
func (c *Case) Check() error {
	b, n, in := c.module()
	m, xs := b.Module, b.Module.Main.Body.Params
	y := lossOf(b, n.Out)
	if err := b.Err(); err != nil {
		return err
	}
	m.Main.Body.Nodes = b.Nodes
	dxs, err := check(m, y, xs, in, c.tolerance())
	if err != nil || !c.twice {
		return err
	}
	b = &ir.Builder{Module: m, Infer: op.Inferrer{}, Prefix: "second/"}
	y = lossOf(b, dxs)
	m.Main.Body.Nodes = append(m.Main.Body.Nodes, b.Nodes...)
	if _, err := check(m, y, xs, in, c.tolerance()); err != nil {
		return fmt.Errorf("second derivative: %w", err)
	}
	return nil
}

// tolerance returns the allowed relative error of a gradient.
func (c *Case) tolerance() float64 {
	if c.coarse {
		return 1e-3
	}
	return exact
}

// exact is the allowed relative error of float64 computations.
const exact = 1e-6

// Graph compares the gradients of a graph by its inputs with differences. The inputs are float64 tensors of
// known sizes.
func Graph(m *ir.Module) error {
	if err := pass.Run(m, []*pass.Pass{pass.Infer}, nil); err != nil {
		return err
	}
	var in []tensor.Value
	r := rand.New(rand.NewPCG(1, 2))
	for _, p := range m.Main.Body.Params {
		shape, _ := p.Type.Static()
		in = append(in, operand{kind: "x", shape: shape}.random(r))
	}
	b := &ir.Builder{Module: m, Infer: op.Inferrer{}, Prefix: "loss/"}
	y := lossOf(b, m.Main.Body.Results)
	if err := b.Err(); err != nil {
		return err
	}
	m.Main.Body.Nodes = append(m.Main.Body.Nodes, b.Nodes...)
	_, err := check(m, y, m.Main.Body.Params, in, exact)
	return err
}

// lossOf returns Σ sin(v + i) over the elements of all values, which depends on each element in a different
// way.
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

// check adds the gradients of y to m and compares them with differences of y.
func check(m *ir.Module, y *ir.Value, xs []*ir.Value, in []tensor.Value, rel float64) ([]*ir.Value, error) {
	body := m.Main.Body
	body.Results = []*ir.Value{y}
	forward := m.Clone()
	dxs, err := grad.Gradients(m, body, y, xs)
	if err != nil {
		return nil, err
	}
	body.Results = append(body.Results, dxs...)
	backward := m.Clone()
	for _, m := range []*ir.Module{forward, backward} {
		if err := pass.Run(m, []*pass.Pass{pass.Expand, pass.Fold, pass.CSE, pass.DCE}, nil); err != nil {
			return nil, err
		}
	}
	got, err := eval.Run(backward.Main, in)
	if err != nil {
		return nil, err
	}
	for i := range xs {
		want, err := differences(forward, in, i)
		if err == nil {
			err = near(got[i+1].(*tensor.Tensor), want, rel)
		}
		if err != nil {
			return nil, fmt.Errorf("input %d: %w", i, err)
		}
	}
	return dxs, nil
}

// differences returns the derivative of m's result by input i, by differences of fourth order.
func differences(m *ir.Module, in []tensor.Value, i int) (*tensor.Tensor, error) {
	const h = 1e-3
	x := tensor.Data[float64](in[i].(*tensor.Tensor))
	out := in[i].(*tensor.Tensor).Clone()
	for k, v := range x {
		var y [4]float64
		for j, d := range []float64{-2 * h, -h, h, 2 * h} {
			x[k] = v + d
			results, err := eval.Run(m.Main, in)
			if err != nil {
				return nil, err
			}
			y[j] = tensor.Data[float64](results[0].(*tensor.Tensor))[0]
		}
		tensor.Data[float64](out)[k] = (8*(y[2]-y[1]) - (y[3] - y[0])) / (12 * h)
		x[k] = v
	}
	return out, nil
}

// near returns an error if a difference exceeds rel times the largest element.
func near(got, want *tensor.Tensor, rel float64) error {
	if !slices.Equal(got.Shape, want.Shape) {
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
