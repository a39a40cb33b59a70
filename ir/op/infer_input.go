package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// CheckElems checks that the element type of input i is in the set, unless it is omitted.
func (c *Infer) CheckElems(i int, s elem.Set) error {
	v := c.Arg(i)
	if v == nil || s.Has(v.Type.Elem) {
		return nil
	}
	return fmt.Errorf("input %q is %s, want %s", v.Name, v.Type.Elem, s)
}

// FloatTensor returns the type of input i, which must be a tensor of floats.
func (c *Infer) FloatTensor(i int) (ir.Type, error) {
	t, err := c.Tensor(i)
	if err == nil && !elem.Floats.Has(t.Elem) {
		err = fmt.Errorf("input %q is %s, want a float", c.Arg(i).Name, t.Elem)
	}
	return t, err
}

// FloatRank returns the type of input i, which must be a tensor of floats and of
// the given rank.
func (c *Infer) FloatRank(i, rank int) (ir.Type, error) {
	t, err := c.FloatTensor(i)
	if err == nil {
		_, err = c.Rank(i, rank)
	}
	return t, err
}

// IndexTensor returns the type of input i, which must hold indices.
func (c *Infer) IndexTensor(i int) (ir.Type, error) {
	t, err := c.Tensor(i)
	if err == nil && t.Elem != tensor.Int64 && t.Elem != tensor.Int32 {
		err = fmt.Errorf("input %q is %s, want int64 or int32 indices", c.In[i].Name, t)
	}
	return t, err
}

// LikeInput0 checks that input i has the element type of input 0.
func (c *Infer) LikeInput0(i int) error {
	t, err := c.Tensor(i)
	if want := c.Type(X).Elem; err == nil && t.Elem != want {
		err = fmt.Errorf("input %q is %s, want %s like input %q", c.Arg(i).Name, t.Elem, want, c.Arg(X).Name)
	}
	return err
}

// HasShape checks that input i, unless it is omitted, may have the given shape. Symbolic sizes are compared
// at run time.
func (c *Infer) HasShape(i int, shape ...ir.Dim) error {
	v := c.Arg(i)
	if v == nil {
		return nil
	}
	t, err := c.Rank(i, len(shape))
	if err != nil {
		return err
	}
	if c.AgreeShape(i, shape) != nil {
		return fmt.Errorf("input %q has shape %v, want %v", v.Name, t.Shape, shape)
	}
	return nil
}
