package nn

import (
	"strconv"

	"github.com/bbgen/bbgen/dsl"
)

// Module is a part of a network: its Forward records the computation of x on a graph.
type Module interface {
	Forward(g *dsl.Graph, x dsl.Value) dsl.Value
}

// Func is a Module without parameters.
type Func func(g *dsl.Graph, x dsl.Value) dsl.Value

// Forward returns f(g, x).
func (f Func) Forward(g *dsl.Graph, x dsl.Value) dsl.Value { return f(g, x) }

// Sequential is a list of modules. The output of each is the input of the next.
type Sequential []Module

// Forward applies all modules in order.
func (s Sequential) Forward(g *dsl.Graph, x dsl.Value) dsl.Value {
	for i, m := range s {
		part := g.Within(strconv.Itoa(i))
		if m == nil {
			return part.Fail("the module is nil")
		}
		x = m.Forward(part, x)
	}
	return x
}

// Residual adds the output of Body to its input, or to the output of Shortcut for this input.
//
// He et al., Deep Residual Learning for Image Recognition, https://arxiv.org/abs/1512.03385
type Residual struct {
	Body     Module
	Shortcut Module // nil: the input itself
}

// Forward returns Body(x) + x, or Body(x) + Shortcut(x).
func (r *Residual) Forward(g *dsl.Graph, x dsl.Value) dsl.Value {
	if r.Body == nil {
		return g.Fail("Residual: Body is nil")
	}
	y := r.Body.Forward(g.Within("body"), x)
	if r.Shortcut != nil {
		x = r.Shortcut.Forward(g.Within("shortcut"), x)
	}
	return g.Add(y, x)
}

// Flatten merges all axes except the first.
var Flatten Func = func(g *dsl.Graph, x dsl.Value) dsl.Value {
	return g.Op("Flatten", dsl.Attrs{"axis": 1}, x)
}

// rank reports an error unless x has n axes.
func rank(g *dsl.Graph, layer string, x dsl.Value, n int) bool {
	if shape := x.Shape(); shape != nil && len(shape) != n {
		g.Fail("%s: the input is %s, want %d axes", layer, x.Type(), n)
		return false
	}
	return true
}

// size reports an error unless an axis of x has the size that a layer requires. A negative axis counts from
// the last.
func size(g *dsl.Graph, layer, field string, x dsl.Value, axis, want int) bool {
	shape := x.Shape()
	if axis < 0 {
		axis += len(shape)
	}
	if shape == nil || axis >= 0 && axis < len(shape) && (shape[axis] < 0 || shape[axis] == want) {
		return true
	}
	g.Fail("%s: the input is %s, and %s is %d: want axis %d of that size", layer, x.Type(), field, want, max(axis, 0))
	return false
}
