package dsl

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Attrs are the attributes of an operator: numbers, strings, tensors, and slices
// of them.
type Attrs map[string]any

// Op records an operator of ONNX with one output, by its name. Use the zero Value for an optional input that
// is omitted.
func (g *Graph) Op(name string, a Attrs, in ...Value) Value { return g.OpN(name, 1, a, in...)[0] }

// OpN is [Graph.Op] for an operator with n outputs.
func (g *Graph) OpN(name string, n int, a Attrs, in ...Value) []Value {
	o := op.Find("", name)
	if o == nil {
		g.r.fail("there is no operator %q in ai.onnx", name)
		return g.bad(n)
	}
	list, err := attributes(o, a)
	if err != nil {
		g.r.fail("%s: %v", name, err)
		return g.bad(n)
	}
	names := []string{name}
	for i := 1; i < n; i++ {
		names = append(names, fmt.Sprintf("%s_%d", name, i))
	}
	given := len(in)
	for len(in) > 0 && in[len(in)-1].value == nil {
		in = in[:len(in)-1]
	}
	if k := len(in); k < given && k < len(o.Inputs) && !o.Inputs[k].Optional && o.Inputs[k].Until == 0 {
		g.r.fail("%s: %s is a dsl.Value that was never set, and this operator needs it", name, o.Inputs[k].Name)
		return g.bad(n)
	}
	return g.do(step{op: o, attrs: list, outs: names, in: in})
}

// attributes converts Attrs to attributes of the graph. An integer becomes a float where the operator
// requires one.
func attributes(o *op.Op, a Attrs) (ir.Attrs, error) {
	var out ir.Attrs
	for _, name := range slices.Sorted(maps.Keys(a)) {
		v, err := attribute(a[name])
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", name, err)
		}
		if s := o.AttrAt(name, o.Newest()); s != nil {
			v = s.Convert(v)
		}
		out.Set(name, v)
	}
	return out, nil
}

func attribute(x any) (any, error) {
	switch x := x.(type) {
	case *tensor.Tensor:
		return x, ir.CheckTensor(x)
	case tensor.DType:
		return int64(x), nil
	case bool:
		if x {
			return int64(1), nil
		}
		return int64(0), nil
	}
	v := reflect.ValueOf(x)
	switch {
	case x == nil:
	case v.CanInt():
		return v.Int(), nil
	case v.CanFloat():
		return v.Float(), nil
	case v.Kind() == reflect.String:
		return v.String(), nil
	case v.Kind() == reflect.Slice:
		switch e := v.Type().Elem(); {
		case e.Kind() >= reflect.Int && e.Kind() <= reflect.Int64:
			return convert[int64](v), nil
		case e.Kind() == reflect.Float32 || e.Kind() == reflect.Float64:
			return convert[float64](v), nil
		case e.Kind() == reflect.String:
			return convert[string](v), nil
		}
	}
	return nil, fmt.Errorf("got a %T, want a number, a string, a tensor or a slice of numbers or strings", x)
}

func convert[T any](v reflect.Value) []T {
	out := make([]T, v.Len())
	for i := range out {
		out[i] = v.Index(i).Convert(reflect.TypeFor[T]()).Interface().(T)
	}
	return out
}

// Const returns a constant tensor. Its elements are given as a number, a bool, a string, or a slice in
// row-major order. Its shape is dims, or for a slice without dims, the length of the slice.
func (g *Graph) Const(elems any, dims ...int) Value {
	t, err := constant(elems, dims)
	if err != nil {
		return g.r.fail("Const: %v", err)
	}
	return g.do(step{op: op.Find("", "Constant"), attrs: ir.Attrs{{Name: "value", Value: t}}, outs: []string{"const"}})[0]
}

func constant(elems any, dims []int) (*tensor.Tensor, error) {
	switch x := elems.(type) {
	case *tensor.Tensor:
		return x, ir.CheckTensor(x)
	case float64:
		return one(x, dims)
	case float32:
		return one(x, dims)
	case int:
		return one(int64(x), dims)
	case int64:
		return one(x, dims)
	case int32:
		return one(x, dims)
	case bool:
		return one(x, dims)
	case string:
		return one(x, dims)
	case []float64:
		return shaped(x, dims)
	case []float32:
		return shaped(x, dims)
	case []int:
		return shaped(convert[int64](reflect.ValueOf(x)), dims)
	case []int64:
		return shaped(x, dims)
	case []int32:
		return shaped(x, dims)
	case []uint8:
		return shaped(x, dims)
	case []bool:
		return shaped(x, dims)
	case []string:
		return shaped(x, dims)
	}
	return nil, fmt.Errorf("got a %T, want a number, bool or string, or one slice of them in row-major order with the sizes behind it: Const(x, 2, 3)", elems)
}

func one[T tensor.Element](x T, dims []int) (*tensor.Tensor, error) {
	if len(dims) > 0 {
		return nil, fmt.Errorf("one element has no shape %v; ConstantOfShape fills one", dims)
	}
	return tensor.Of([]T{x}), nil
}

func shaped[T tensor.Element](x []T, dims []int) (*tensor.Tensor, error) {
	if dims == nil {
		dims = []int{len(x)}
	}
	n, err := tensor.NumElements(dims)
	if err != nil {
		return nil, err
	}
	if n != len(x) {
		return nil, fmt.Errorf("%d elements for shape %v, want %d", len(x), dims, n)
	}
	return tensor.Of(slices.Clone(x), dims...), nil
}

// Scalar returns a constant of one element with the element type of like.
func (g *Graph) Scalar(like Value, x float64) Value {
	switch {
	case like.value == nil:
		return g.r.fail("Scalar: %v", errNoValue)
	case like.bad:
		return like
	case like.ir.Type.Kind != ir.Tensor || !like.ir.Type.Elem.Valid() || like.ir.Type.Elem == tensor.String:
		return g.r.fail("Scalar: %s is %s, want numbers", like.ir.Name, like.Type())
	}
	return g.Const(tensor.FromFloat(like.ir.Type.Elem, x))
}
