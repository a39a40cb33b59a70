package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// Scatter is ScatterElements under its first name.
//
// https://onnx.ai/onnx/operators/onnx__Scatter.html
var Scatter = &Op{
	Name:  "Scatter",
	Since: []int{9, 11},
	In:    Three,
	Out:   One,
	Infer: inferScatterElements,
	Lower: lowerScatterElements,
}

// reductions are the kernels' names of what a scattered value does to the one
// that is there.
var reductions = map[string]Const{"add": "ReduceAdd", "mul": "ReduceMul", "max": "ReduceMax", "min": "ReduceMin"}

// checkScatter looks at the operands that all scatters share.
func checkScatter(c *Infer) (x, index, updates ir.Type, err error) {
	if x, err = c.Tensor(0); err != nil {
		return
	}
	if index, err = c.index(1); err != nil {
		return
	}
	if updates, err = c.Tensor(2); err != nil {
		return
	}
	how := c.Str("reduction", "none")
	switch _, ok := reductions[how]; {
	case updates.Elem != x.Elem:
		err = fmt.Errorf("updates are %s, want %s", updates.Elem, x.Elem)
	case !ok && how != "none":
		err = fmt.Errorf("reduction is %q, want none, add, mul, max or min", how)
	case ok && !numbers.has(x.Elem):
		err = fmt.Errorf("cannot reduce %s", x.Elem)
	}
	c.Out(0, x)
	return
}

// reducesSmall reports whether a scatter computes on small floats, which it
// does in float32.
func reducesSmall(n *ir.Node) bool { return Small(n) && n.Str("reduction", "none") != "none" }

// lowerScatter calls the kernel, in one of its two forms, on a copy of the
// input.
func lowerScatter(l *Lowering, kernel string, args ...any) {
	l.Call("Copy", l.Out[0], l.In[0])
	args = append([]any{l.Out[0], l.In[2], l.In[1]}, args...)
	if how, ok := reductions[l.Str("reduction", "none")]; ok {
		kernel += "Reduce"
		args = append(args, how)
	}
	l.Call(kernel, args...)
}
