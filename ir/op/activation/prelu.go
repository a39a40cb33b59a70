package activation

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [PRelu].
const (
	pReluX = iota
	pReluSlope
)

// PRelu is x, or slope·x below 0; slope broadcasts to x.
//
// https://onnx.ai/onnx/operators/onnx__PRelu.html
var PRelu = &op.Op{
	Name:    "PRelu",
	Since:   []int{1, 6, 7, 9, 16},
	Attrs:   []op.Attr{{Name: "consumed_inputs", Kind: op.Ints, Until: 6}},
	Inputs:  []op.Port{pReluX: {Name: "X", Types: elem.Numbers}, pReluSlope: {Name: "slope", Like: "X"}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferPRelu,
	Upgrade: upgradePRelu,
	Grad:    preluGrad,
	Lower:   op.Binary("PRelu"),
	InPlace: true,
	Widen:   true,

	Broadcasts: true,
	Pointwise:  op.Always,
}

func inferPRelu(c *op.Infer) error {
	if err := op.InferBinary(c); err != nil {
		return err
	}
	if x := c.Type(pReluX).Shape; len(c.Type(pReluSlope).Shape) > len(x) {
		return fmt.Errorf("slope has rank %d, want at most %d like input %q", len(c.Type(pReluSlope).Shape), len(x), c.In[pReluX].Name)
	}
	return nil
}

// upgradePRelu adds axes to a slope per channel, which early versions had, so that it broadcasts by numpy's
// rules.
func upgradePRelu(b *ir.Builder, n *ir.Node) error {
	if n.Version >= 7 || len(n.In) != 2 || n.In[pReluX] == nil || n.In[pReluSlope] == nil {
		return nil
	}
	x, slope := n.In[pReluX].Type, n.In[pReluSlope].Type
	if len(slope.Shape) != 1 || len(x.Shape) < 3 || ir.Size(slope.Shape).Is(1) {
		return nil
	}
	axes := make([]int, len(x.Shape)-2)
	for i := range axes {
		axes[i] = 1 + i
	}
	n.In[pReluSlope] = b.Op("Unsqueeze", n.In[pReluSlope], b.Ints(axes...))
	return nil
}

// dx = dy, or dy·slope where x ≤ 0; dslope = dy·x where x ≤ 0
func preluGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x, slope := n.In[pReluX], n.In[pReluSlope]
	up := b.Op("Greater", x, op.ScalarLike(b, x, 0))
	dx := b.Op("Where", up, dy[0], b.Op("Mul", dy[0], slope))
	ds := b.Op("Where", up, op.ScalarLike(b, x, 0), b.Op("Mul", dy[0], x))
	return []*ir.Value{op.Unbroadcast(b, dx, x), op.Unbroadcast(b, ds, slope)}
}
