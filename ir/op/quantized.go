package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// ByteTensor returns the type of input i, which must be int8 or uint8.
func (c *Infer) ByteTensor(i int) (ir.Type, error) {
	t, err := c.Tensor(i)
	if err != nil {
		return t, err
	}
	return t, c.CheckElems(i, elem.Bytes)
}

// CheckFactors checks a scale or a zero point: one value for all, one for each of n rows or columns, or one
// for each of these in each of several matrices.
func (c *Infer) CheckFactors(i int, elem tensor.DType, n, matrices ir.Dim) error {
	if c.Arg(i) == nil {
		return nil
	}
	t, err := c.Tensor(i)
	if err != nil {
		return err
	}
	if t.Elem != elem {
		return fmt.Errorf("input %q is %s, want %s", c.In[i].Name, t.Elem, elem)
	}
	size, ok := ir.Size(t.Shape).Const()
	one, nok := n.Const()
	all, aok := n.Mul(matrices).Const()
	if ok && nok && aok && size != 1 && size != one && size != all {
		return fmt.Errorf("input %q has %d elements, want 1, %d or %d", c.In[i].Name, size, one, all)
	}
	return nil
}

// SignedBytes returns a constant of bytes as int8. A uint8 is shifted by -128; a product must shift its zero
// points in the same way.
func SignedBytes(v *ir.Value) *ir.Value {
	if v == nil || v.Type.Elem == tensor.Int8 {
		return v
	}
	from := tensor.Data[uint8](v.Const)
	to := make([]int8, len(from))
	for i, x := range from {
		to[i] = int8(x ^ 0x80)
	}
	return ir.NewConst(v.Name+"_signed", tensor.Of(to, v.Const.Shape...))
}

// InferSums returns the element type of the outputs of a node that quantizes sums, and checks its weights and
// the parameters of n rows or columns.
func InferSums(c *Infer, n ir.Dim) (tensor.DType, error) {
	to, err := DtypeAttr(c.Node, "to", tensor.Float32)
	if err != nil {
		return to, err
	}
	if !elem.Named("", tensor.Int8, tensor.Uint8, tensor.Int32, tensor.Float32).Has(to) {
		return to, fmt.Errorf("sums cannot become %s", to)
	}
	for i, elem := range []tensor.DType{tensor.Int8, tensor.Int32, tensor.Float32, tensor.Int32} {
		v := c.Arg(1 + i)
		if v == nil && (i == 2 && to == tensor.Int32 || i == 3) {
			continue
		}
		if v == nil || !v.IsConst() || v.Type.Elem != elem || i > 0 && !ir.Size(Shape(v)).Equal(n) {
			return to, fmt.Errorf("input %d is not a constant of %s for %s columns or filters", 1+i, elem, n)
		}
	}
	return to, nil
}
