package op

import "github.com/bbgen/bbgen/ir"

// Unary returns an [Op.Lower] with one kernel call, from input 0 to output 0.
func Unary(kernel string) func(l *Lowering) error {
	return func(l *Lowering) error {
		l.Each(kernel, l.Out[0], l.In[X])
		return nil
	}
}

// Binary returns an [Op.Lower] with one kernel call, or with the kernel in a loop nest if the operands
// broadcast.
func Binary(kernel string) func(l *Lowering) error {
	return func(l *Lowering) error {
		l.Binary(kernel, l.Out[0], l.In[A], l.In[B])
		return nil
	}
}

// Binary lowers like the function [Binary], for the given operands.
func (l *Lowering) Binary(kernel string, y, a, b *ir.Value) {
	if flat(a, y) && flat(b, y) {
		l.Each(kernel, y, a, b)
		return
	}
	l.Call("Broadcast", y, a, b, Kernel(kernel), Shape(y), Shape(a), Shape(b))
	l.Part(kernel, y, a, b)
}

// flat reports whether an operand has the shape of y or a single element.
func flat(v, y *ir.Value) bool { return Len(v).Is(1) || ir.SameShape(Shape(v), Shape(y)) }
