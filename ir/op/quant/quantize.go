package quant

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Common parts of QuantizeLinear and DequantizeLinear.

// checkQuantScale returns an error if the scale or the zero point does not match x in type or shape.
func checkQuantScale(c *op.Infer, x ir.Type) error {
	scale, err := c.Tensor(quantScale)
	if err != nil {
		return err
	}
	if z := c.Arg(quantZero); z != nil {
		t, err := c.Tensor(quantZero)
		if err != nil {
			return err
		}
		a, aok := ir.Size(t.Shape).Const()
		b, bok := ir.Size(scale.Shape).Const()
		if aok && bok && a != b {
			return fmt.Errorf("zero point %q is %s, want the shape of the scale, %s", z.Name, t, scale)
		}
	}
	b, err := quantBlocks(c.Node)
	if err != nil || b.per == perTensor {
		return err
	}
	if b.per == perAxis {
		n, nok := x.Shape[b.axis].Const()
		m, mok := scale.Shape[0].Const()
		if nok && mok && n != m {
			return fmt.Errorf("scale %q is %s, want %d elements", c.In[quantScale].Name, scale, n)
		}
		return nil
	}
	for i, d := range x.Shape {
		if i == b.axis {
			d = d.CeilDiv(ir.C(b.size))
		}
		n, nok := d.Const()
		m, mok := scale.Shape[i].Const()
		if nok && mok && n != m {
			return fmt.Errorf("scale %q is %s, want %d along axis %d", c.In[quantScale].Name, scale, n, i)
		}
	}
	return nil
}

// granularity is the set of elements that share a scale.
type granularity uint8

const (
	perTensor granularity = iota
	perAxis
	perBlock
)

// scaleBlocks describes the elements that share a scale, and the axis.
type scaleBlocks struct {
	per        granularity
	axis, size int
}

// quantBlocks determines from the shapes which elements share a scale.
func quantBlocks(n *ir.Node) (scaleBlocks, error) {
	x, scale := op.Shape(n.In[quantX]), op.Shape(n.In[quantScale])
	if ir.Size(scale).Is(1) {
		return scaleBlocks{}, nil
	}
	axis := n.Int("axis")
	if len(x) == 1 {
		axis = 0
	}
	axis, err := op.Axis(axis, len(x))
	size := n.Int("block_size")
	switch {
	case err != nil:
		return scaleBlocks{}, err
	case size < 0:
		return scaleBlocks{}, fmt.Errorf("block_size is %d, want at least 0", size)
	case size > 0 && len(scale) == len(x) && len(x) > 0:
		return scaleBlocks{perBlock, axis, size}, nil
	case len(scale) == 1 && len(x) > 0:
		return scaleBlocks{perAxis, axis, 1}, nil
	}
	return scaleBlocks{}, fmt.Errorf("scale %q has shape %v, want one for all, for each of axis %d, or for blocks of block_size", n.In[quantScale].Name, scale, axis)
}

// blockArg returns the kernels' description of the elements that share a scale.
func blockArg(n *ir.Node) (op.Struct, error) {
	b, err := quantBlocks(n)
	if err != nil {
		return op.Struct{}, err
	}
	x := op.Shape(n.In[quantX])
	outer, size, inner := ir.C(1), ir.Size(x), ir.C(1)
	if b.per != perTensor {
		outer, size, inner = op.Outer(x, b.axis), x[b.axis], op.Inner(x, b.axis)
	}
	return op.Struct{Type: "Blocks", Fields: []op.Field{
		{Name: "Outer", Value: outer}, {Name: "N", Value: size}, {Name: "Inner", Value: inner}, {Name: "Size", Value: max(b.size, 1)}, {Name: "Shared", Value: b.per == perAxis},
	}}, nil
}

// inFloat32 returns v as float32; nil stays nil.
func inFloat32(l *op.Lowering, v *ir.Value) *ir.Value {
	if v == nil || v.Type.Elem == tensor.Float32 {
		return v
	}
	t := l.Scratch(tensor.Float32, op.Shape(v)...)
	l.Cast(t, v)
	return t
}
