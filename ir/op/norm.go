package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// floatInput is the type of input i, which must be a tensor of floats.
func floatInput(c *Infer, i int) (ir.Type, error) {
	t, err := c.Tensor(i)
	if err == nil && !floats.has(t.Elem) {
		err = fmt.Errorf("input %q is %s, want a float", c.Arg(i).Name, t.Elem)
	}
	return t, err
}

// floatRank is the type of input i, which must be a tensor of floats and of
// the given rank.
func floatRank(c *Infer, i, rank int) (ir.Type, error) {
	t, err := floatInput(c, i)
	if err == nil {
		_, err = c.Rank(i, rank)
	}
	return t, err
}

// likeInput0 reports whether input i has the element type of input 0.
func likeInput0(c *Infer, i int) error {
	t, err := c.Tensor(i)
	if want := c.Type(0).Elem; err == nil && t.Elem != want {
		err = fmt.Errorf("input %q is %s, want %s like input %q", c.Arg(i).Name, t.Elem, want, c.Arg(0).Name)
	}
	return err
}

// mayBe reports whether d may be want when the model runs.
func mayBe(d, want ir.Dim) bool {
	a, aok := d.Const()
	b, bok := want.Const()
	return !aok || !bok || a == b
}

// hasShape reports whether input i, if it is there, may have the given shape. What
// is open is checked in the run.
func hasShape(c *Infer, i int, shape ...ir.Dim) error {
	v := c.Arg(i)
	if v == nil {
		return nil
	}
	t, err := c.Rank(i, len(shape))
	if err != nil {
		return err
	}
	if c.agreeShape(i, shape) != nil {
		return fmt.Errorf("input %q has shape %v, want %v", v.Name, t.Shape, shape)
	}
	return nil
}

// outOr is output i of the node, or scratch of its type if it is left out.
func outOr(l *Lowering, i int, t ir.Type) *ir.Value {
	if v := l.Res(i); v != nil {
		return v
	}
	return l.Scratch(t.Elem, t.Shape...)
}

// castTo is v as elements of another type, v itself if it has that type.
func castTo(b *ir.Builder, v *ir.Value, to tensor.DType) *ir.Value {
	if v == nil || v.Type.Elem == to {
		return v
	}
	return Cast(b, v, to)
}

// wide is the type that a Widen operator computes t in.
func wide(t tensor.DType) tensor.DType {
	if t.IsSmallFloat() {
		return tensor.Float32
	}
	return t
}
