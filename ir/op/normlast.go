package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// GroupNormLast is [GroupNormalization] of float32 with the channels last; as
// many groups as there are channels are [InstanceNormalization].
var GroupNormLast = &Op{
	Name:   "GroupNormLast",
	Domain: Own,
	Since:  []int{1},
	Attrs: []Attr{
		{Name: "epsilon", Kind: Float, Default: 1e-5},
		{Name: "num_groups", Kind: Int, Default: 1},
	},
	Inputs:  []Port{{Name: "x", Types: float32s}, {Name: "scale", Types: float32s}, {Name: "bias", Types: float32s}},
	Outputs: []Port{{Name: "y", Types: float32s}},
	Infer:   inferGroupNormLast,
	Stops:   afterGradients,
	Lower:   lowerGroupNormLast,
	FLOPs:   perInput(8),
}

func inferGroupNormLast(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	if x.Elem != tensor.Float32 || len(x.Shape) < 3 {
		return fmt.Errorf("input is %s, want float32 with spatial axes", x)
	}
	channels, ok := x.Shape[len(x.Shape)-1].Const()
	groups := c.Int("num_groups")
	if !ok || groups < 1 || channels%groups != 0 {
		return fmt.Errorf("%s channels are not divisible into %d groups", x.Shape[len(x.Shape)-1], groups)
	}
	for i := 1; i < 3; i++ {
		if err := likeInput0(c, i); err != nil {
			return err
		}
		if ofGroups(c.In[i], groups) {
			continue
		}
		if err := hasShape(c, i, ir.C(channels)); err != nil {
			return err
		}
	}
	c.Out(0, x)
	return nil
}

func lowerGroupNormLast(l *Lowering) error {
	shape := Shape(l.In[0])
	last := len(shape) - 1
	l.Call("GroupNormLast32", l.Out[0], l.In[0], l.In[1], l.In[2], shape[0], l.Int("num_groups"), shape[last],
		ir.Size(shape[1:last-1]), shape[last-1], l.Float("epsilon"))
	return nil
}
