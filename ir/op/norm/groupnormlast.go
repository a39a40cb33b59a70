package norm

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [GroupNormLast].
const (
	groupNormLastX = iota
	groupNormLastScale
	groupNormLastBias
)

// GroupNormLast is [GroupNormalization] of float32 with the channels last. If each channel is a group, it is
// [InstanceNormalization].
var GroupNormLast = &op.Op{
	Name:   "GroupNormLast",
	Domain: op.Own,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "epsilon", Kind: op.Float, Default: 1e-5},
		{Name: "num_groups", Kind: op.Int, Default: 1},
	},
	Inputs: []op.Port{
		groupNormLastX:     {Name: "x", Types: elem.Float32s},
		groupNormLastScale: {Name: "scale", Types: elem.Float32s},
		groupNormLastBias:  {Name: "bias", Types: elem.Float32s},
	},
	Outputs: []op.Port{{Name: "y", Types: elem.Float32s}},
	Infer:   inferGroupNormLast,
	Stops:   op.StopAfterGradients,
	Lower:   lowerGroupNormLast,
	FLOPs:   op.PerInput(8),
}

func inferGroupNormLast(c *op.Infer) error {
	x, err := c.Tensor(groupNormLastX)
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
		if err := c.LikeInput0(i); err != nil {
			return err
		}
		if ofGroups(c.In[i], groups) {
			continue
		}
		if err := c.HasShape(i, ir.C(channels)); err != nil {
			return err
		}
	}
	c.Out(0, x)
	return nil
}

func lowerGroupNormLast(l *op.Lowering) error {
	shape := op.Shape(l.In[groupNormLastX])
	last := len(shape) - 1
	l.Call("GroupNormLast32", l.Out[0], l.In[groupNormLastX], l.In[groupNormLastScale], l.In[groupNormLastBias], op.Struct{Type: "GroupNormShape", Fields: []op.Field{
		{Name: "Images", Value: shape[0]}, {Name: "Groups", Value: l.Int("num_groups")}, {Name: "Channels", Value: shape[last]},
		{Name: "Lines", Value: ir.Size(shape[1 : last-1])}, {Name: "Width", Value: shape[last-1]},
	}}, l.Float("epsilon"))
	return nil
}
