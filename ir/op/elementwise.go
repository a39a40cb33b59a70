package op

import "github.com/bbgen/bbgen/ir"

// Unary lowers to one kernel call from input 0 to output 0.
func Unary(kernel string) func(l *Lowering) error {
	return func(l *Lowering) error {
		l.Each(kernel, l.Out[0], l.In[0])
		return nil
	}
}

// Binary lowers to one kernel call, or to the kernel under a loop nest where
// the operands broadcast.
func Binary(kernel string) func(l *Lowering) error {
	return func(l *Lowering) error {
		l.Binary(kernel, l.Out[0], l.In[0], l.In[1])
		return nil
	}
}

// Binary is the function [Binary] for operands that are not the node's own.
func (l *Lowering) Binary(kernel string, y, a, b *ir.Value) {
	if flat(a, y) && flat(b, y) {
		l.Each(kernel, y, a, b)
		return
	}
	l.Call("Broadcast", y, a, b, Kernel(kernel), Shape(y), Shape(a), Shape(b))
	l.Part(kernel, y, a, b)
}

// flat reports whether an operand runs along with y element by element, or is
// a single element.
func flat(v, y *ir.Value) bool { return Len(v).Is(1) || ir.SameShape(Shape(v), Shape(y)) }
