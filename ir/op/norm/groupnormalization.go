package norm

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [GroupNormalization].
const (
	groupNormX = iota
	groupNormScale
	groupNormBias
)

// GroupNormalization brings each group of channels to mean 0 and variance 1,
// and then scales and shifts the channels; before version 21 the groups.
//
// https://onnx.ai/onnx/operators/onnx__GroupNormalization.html
var GroupNormalization = &op.Op{
	Name:  "GroupNormalization",
	Since: []int{18, 21},
	Attrs: []op.Attr{
		{Name: "epsilon", Kind: op.Float, Default: 1e-5},
		{Name: "num_groups", Kind: op.Int, Required: true},
		{Name: "stash_type", Kind: op.Int, Default: 1, Since: 21},
	},
	Inputs: []op.Port{
		groupNormX:     {Name: "X", Types: elem.Floats},
		groupNormScale: {Name: "scale", Like: "X"},
		groupNormBias:  {Name: "bias", Like: "X"},
	},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferGroupNorm,
	Grad:    groupNormGrad,
	Lower:   lowerGroupNorm,
	Last:    &op.LastForm{Build: lastGroupNorm},
	InPlace: true,
	Widen:   true,
	FLOPs:   op.PerInput(8),
}

func inferGroupNorm(c *op.Infer) error {
	x, err := c.FloatTensor(groupNormX)
	if err != nil {
		return err
	}
	if len(x.Shape) < 2 {
		return fmt.Errorf("input %q has rank %d, want at least 2", c.In[groupNormX].Name, len(x.Shape))
	}
	groups, channels := c.Int("num_groups"), x.Shape[1]
	if groups < 1 {
		return fmt.Errorf("num_groups is %d, want at least 1", groups)
	}
	if n, ok := channels.Const(); ok && n%groups != 0 {
		return fmt.Errorf("%d channels are not divisible into %d groups", n, groups)
	}
	for i := 1; i < 3; i++ {
		if err := c.LikeInput0(i); err != nil {
			return err
		}
		if ofGroups(c.In[i], groups) {
			continue
		}
		if err := c.HasShape(i, channels); err != nil {
			return err
		}
	}
	scale := op.Shape(c.In[groupNormScale])
	if err := c.HasShape(groupNormBias, scale...); err != nil {
		return fmt.Errorf("the scale has shape %v: %w", scale, err)
	}
	c.Out(0, x)
	return nil
}

// ofGroups reports whether v is a number for each group, as before version 21.
func ofGroups(v *ir.Value, groups int) bool {
	return len(op.Shape(v)) == 1 && op.Shape(v)[0].Is(groups)
}

func lowerGroupNorm(l *op.Lowering) error {
	shape := op.Shape(l.In[groupNormX])
	l.Call("GroupNorm", l.Out[0], l.In[groupNormX], l.In[groupNormScale], l.In[groupNormBias],
		l.Int("num_groups"), shape[1], ir.Size(shape[2:]), l.Float("epsilon"))
	return nil
}

// as that of a layer for each group, see [LayerNormalization]
func groupNormGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return groupGrad(b, n, dy[0], n.Int("num_groups"))
}

// groupGrad returns the gradient of a normalization of groups of channels; 0 means that each channel is a
// group.
func groupGrad(b *ir.Builder, n *ir.Node, dy *ir.Value, groups int) []*ir.Value {
	x, scale, bias := n.In[groupNormX], n.In[groupNormScale], n.In[groupNormBias]
	grouped := func(v *ir.Value) *ir.Value { return b.Op("Reshape", v, b.Ints(0, groups, -1)) }
	perGroup := groups > 0 && ofGroups(scale, groups)
	wide := func(v *ir.Value) *ir.Value {
		if perGroup {
			return op.ReshapeLike(b, b.Op("Mul", grouped(v), b.Op("Unsqueeze", scale, b.Ints(1))), v)
		}
		return b.Op("Mul", v, perChannel(b, scale, x))
	}
	dx, unit := normGrad(b, grouped(wide(dy)), grouped(x), []int{2}, n.Float("epsilon"), true)
	sum := func(v *ir.Value) *ir.Value {
		if perGroup {
			v = grouped(v)
		}
		return channelSum(b, v)
	}
	ds := sum(b.Op("Mul", dy, op.ReshapeLike(b, unit, x)))
	return []*ir.Value{op.ReshapeLike(b, dx, x), op.ReshapeLike(b, ds, scale), op.ReshapeLike(b, sum(dy), bias)}
}

// lastGroupNorm converts a GroupNormalization, or an InstanceNormalization.
func lastGroupNorm(l *op.Last) *ir.Value {
	channels, ok := op.Shape(l.In[groupNormX])[1].Const()
	if !ok || l.In[groupNormX].Type.Elem != tensor.Float32 || l.In[groupNormScale].Type.Elem != tensor.Float32 {
		return nil
	}
	x := l.Of(l.In[groupNormX])
	if x == nil {
		return nil
	}
	attrs := slices.Clone(l.Attrs)
	if l.Op == "InstanceNormalization" {
		attrs.Set("num_groups", int64(channels))
	}
	return l.Own("GroupNormLast", attrs, x, l.In[groupNormScale], l.In[groupNormBias])
}
