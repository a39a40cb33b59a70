package reduce

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// Common parts of CumSum and CumProd.

func inferCumulative(c *op.Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	axis, err := c.Tensor(1)
	if err != nil {
		return err
	}
	if len(x.Shape) == 0 || !ir.Size(axis.Shape).Is(1) {
		return fmt.Errorf("axis %q is %s for an input of rank %d, want one axis", c.In[1].Name, axis, len(x.Shape))
	}
	c.Out(0, x)
	return nil
}

func lowerCumulative(kernel string) func(l *op.Lowering) error {
	return func(l *op.Lowering) error {
		l.Call(kernel, l.Out[0], l.In[0], l.In[1], op.Shape(l.In[0]), l.Int("exclusive") != 0, l.Int("reverse") != 0)
		return nil
	}
}
