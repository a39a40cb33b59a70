package signal

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// readLength returns the value of an integer scalar input that is the size of an axis, at least 1. If it is
// known only at run time, it becomes a new symbol, which countLength binds.
func readLength(c *op.Infer, i int) (ir.Dim, error) {
	n, err := readScalar(c, i)
	if err == nil && c.Module.FromData(n) {
		return c.Fresh("length"), nil
	}
	return n, err
}

// readScalar returns an integer scalar input, at least 1 if it is constant.
func readScalar(c *op.Infer, i int) (ir.Dim, error) {
	v, err := c.Read(i)
	if err != nil {
		return ir.Dim{}, err
	}
	if len(v) != 1 {
		return ir.Dim{}, fmt.Errorf("input %q has %d elements, want 1", c.In[i].Name, len(v))
	}
	if n, ok := v[0].Const(); ok && (n < 1 || n > op.MaxStep) {
		return v[0], fmt.Errorf("input %q is %d, want 1 to %d", c.In[i].Name, n, op.MaxStep)
	}
	return v[0], nil
}

// countLength binds symbol k to the content of input i, if the size d depends on it. It returns the number of
// the next symbol.
func countLength(l *op.Lowering, k, i int, d ir.Dim) int {
	found := false
	if k < len(l.Syms) {
		d.Syms(func(s string) { found = found || s == l.Syms[k] })
	}
	if !found {
		return k
	}
	l.Count(k, "Length", l.In[i])
	return k + 1
}

// scalar returns the content of an integer scalar input that inference has read, or 0 if the input is
// omitted.
func scalar(v *ir.Value) ir.Dim {
	if elems, ok := op.Content(v); ok && len(elems) == 1 {
		return elems[0]
	}
	return ir.C(0)
}

// outputType returns the attribute with the element type of a node's output.
func outputType(n *ir.Node) (tensor.DType, error) {
	d := n.Int("output_datatype")
	if d < 0 || d > 255 || !tensor.DType(d).IsFloat() && !tensor.DType(d).IsInt() {
		return 0, fmt.Errorf("output_datatype is %d, want a number", d)
	}
	return tensor.DType(d), nil
}

// expandOutput generates float32 and casts it.
func expandOutput(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	attrs := append(ir.Attrs{}, n.Attrs...)
	attrs.Set("output_datatype", int64(tensor.Float32))
	return []*ir.Value{op.Cast(b, b.OpA(n.Op, attrs, n.In...), n.Out[0].Type.Elem)}, nil
}

// smallOutput reports whether the output of n has floats smaller than float32.
func smallOutput(n *ir.Node) bool { return n.Out[0].Type.Elem.IsSmallFloat() }
