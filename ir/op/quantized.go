package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// byteTensor is the type of input i, which must be int8 or uint8.
func byteTensor(c *Infer, i int) (ir.Type, error) {
	t, err := c.Tensor(i)
	if err != nil {
		return t, err
	}
	return t, c.CheckElems(i, int8s)
}

// checkFactors checks a scale or a zero point: one for all, one for each of n
// rows or columns, or one for each of them in each of several matrices.
func checkFactors(c *Infer, i int, elem tensor.DType, n, matrices ir.Dim) error {
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

// signedBytes is a constant of bytes as int8, which count from -128 on where
// they were uint8: a product needs the same of its zero points alone.
func signedBytes(v *ir.Value) *ir.Value {
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
