package norm

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [InstanceNormalization].
const (
	instanceNormInput = iota
	instanceNormScale
	instanceNormB
)

// InstanceNormalization brings each channel of each sample to mean 0 and
// variance 1, and then scales and shifts it.
//
// https://onnx.ai/onnx/operators/onnx__InstanceNormalization.html
var InstanceNormalization = &op.Op{
	Name:  "InstanceNormalization",
	Since: []int{1, 6, 22},
	Attrs: []op.Attr{
		{Name: "consumed_inputs", Kind: op.Ints, Until: 6},
		{Name: "epsilon", Kind: op.Float, Default: 1e-5},
	},
	Inputs: []op.Port{
		instanceNormInput: {Name: "input", Types: elem.Floats},
		instanceNormScale: {Name: "scale", Like: "input"},
		instanceNormB:     {Name: "B", Like: "input"},
	},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   inferInstanceNorm,
	Upgrade: upgradeInstanceNorm,
	Grad:    instanceNormGrad,
	Lower:   lowerInstanceNorm,
	Last:    &op.LastForm{Build: lastGroupNorm},
	InPlace: true,
	Widen:   true,
	FLOPs:   op.PerInput(8),
}

func upgradeInstanceNorm(_ *ir.Builder, n *ir.Node) error {
	n.Attrs.Delete("consumed_inputs")
	return nil
}

func inferInstanceNorm(c *op.Infer) error {
	x, err := c.FloatTensor(instanceNormInput)
	if err != nil {
		return err
	}
	if len(x.Shape) < 2 {
		return fmt.Errorf("input %q has rank %d, want at least 2", c.In[instanceNormInput].Name, len(x.Shape))
	}
	for i := 1; i < 3; i++ {
		if err := c.LikeInput0(i); err != nil {
			return err
		}
		if err := c.HasShape(i, x.Shape[1]); err != nil {
			return err
		}
	}
	c.Out(0, x)
	return nil
}

func lowerInstanceNorm(l *op.Lowering) error {
	shape := op.Shape(l.In[instanceNormInput])
	l.Call("GroupNorm", l.Out[0], l.In[instanceNormInput], l.In[instanceNormScale], l.In[instanceNormB],
		shape[1], shape[1], ir.Size(shape[2:]), l.Float("epsilon"))
	return nil
}

// as that of a layer for each channel, see [LayerNormalization]
func instanceNormGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return groupGrad(b, n, dy[0], 0)
}
