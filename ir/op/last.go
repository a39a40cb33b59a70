package op

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/target"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Last builds a node's computation on data with the channels last.
type Last struct {
	*ir.Node
	B      *ir.Builder
	Target *target.Target // the machine that choices are made for; nil: [target.Default]

	// Of returns v, an operand that broadcasts to the node's result, with its channels last, or nil if that
	// is impossible.
	Of func(v *ir.Value) *ir.Value

	// Moves reports whether data must be moved to have the channels of v last.
	Moves func(v *ir.Value) bool
}

// LastForm is the form of an operator on data with the channels last.
type LastForm struct {
	// Build returns output 0 with its channels last, or nil if the node has no such form.
	Build func(l *Last) *ir.Value

	// BuildAll returns all outputs, for an operator with several.
	BuildAll func(l *Last) []*ir.Value

	// Starts: the form is worthwhile even if the data must be moved first.
	Starts bool
}

// FindLast returns the form of a node's operator with the channels last. It is not ok if there is none.
func FindLast(n *ir.Node) (form LastForm, ok bool) {
	switch o := Lookup(n); {
	case o == nil:
		return LastForm{}, false
	case o.Last != nil:
		return *o.Last, true
	case o.Pointwise != nil && o.Pointwise(n):
		return LastForm{Build: lastPointwise}, true
	}
	return LastForm{}, false
}

// Pointwise reports whether each element of the node's output depends only on the elements of the operands at
// the same position, after broadcasting, and on tables.
func Pointwise(n *ir.Node) bool {
	o := Lookup(n)
	return o != nil && o.Pointwise != nil && o.Pointwise(n)
}

// Own adds a node in bbgen's own domain.
func (l *Last) Own(op string, attrs ir.Attrs, in ...*ir.Value) *ir.Value {
	n := &ir.Node{Op: op, Domain: Own, Attrs: slices.Clone(attrs), In: in, Class: l.Class, Pos: l.Pos}
	n.Name = l.B.Module.FreshName(l.B.Prefix + "last")
	n.Out = []*ir.Value{{Name: n.Name, Def: n}}
	return l.B.Add(n)[0]
}

// Several adds a node of ONNX with the same number of outputs as the current node.
func (l *Last) Several(op string, attrs ir.Attrs, in ...*ir.Value) []*ir.Value {
	n := &ir.Node{Op: op, Attrs: attrs, In: in, Class: l.Class, Pos: l.Pos, Name: l.B.Module.FreshName(l.B.Prefix + "last")}
	for range l.Out {
		n.Out = append(n.Out, &ir.Value{Name: l.B.Module.FreshName(n.Name), Def: n})
	}
	return l.B.Add(n)
}

// All returns every input with its channels last.
func (l *Last) All() []*ir.Value {
	in := make([]*ir.Value, len(l.In))
	for i, v := range l.In {
		if v == nil {
			continue
		}
		if in[i] = l.Of(v); in[i] == nil {
			return nil
		}
	}
	return in
}

func lastPointwise(l *Last) *ir.Value {
	in := l.All()
	if in == nil {
		return nil
	}
	return l.B.OpA(l.Op, l.Attrs, in...)
}

// EachChannel returns act(x·scale + shift), as a convolution with one group per channel.
func (l *Last) EachChannel(x *ir.Value, scale []float32, shift *ir.Value, act string) *ir.Value {
	if x = l.Of(x); x == nil {
		return nil
	}
	shape := slices.Repeat([]int{1}, len(Shape(x)))
	shape[0] = len(scale)
	attrs := ir.Attrs{}
	attrs.Set("group", int64(len(scale)))
	if act != "" {
		attrs.Set("activation", act)
	}
	return l.Own("ConvLast", attrs, x, l.B.Const(tensor.Of(scale, shape...)), shift)
}

// LastAxis returns the position of an axis with the channels last.
func LastAxis(axis, rank int) int {
	switch axis {
	case 0:
		return 0
	case 1:
		return rank - 1
	}
	return axis - 1
}
