package reduce

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// Common parts of CumSum and CumProd.

func inferCumulative(c *op.Infer) error {
	x, err := c.Tensor(cumX)
	if err != nil {
		return err
	}
	axis, err := c.Tensor(cumAxis)
	if err != nil {
		return err
	}
	if len(x.Shape) == 0 || !ir.Size(axis.Shape).Is(1) {
		return fmt.Errorf("axis %q is %s for an input of rank %d, want one axis", c.In[cumAxis].Name, axis, len(x.Shape))
	}
	c.Out(0, x)
	return nil
}

func lowerCumulative(kernel string) func(l *op.Lowering) error {
	return func(l *op.Lowering) error {
		l.Call(kernel, l.Out[0], l.In[cumX], l.In[cumAxis], op.Shape(l.In[cumX]), l.Int("exclusive") != 0, l.Int("reverse") != 0)
		return nil
	}
}
