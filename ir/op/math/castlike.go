package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [CastLike].
const (
	castLikeInput = iota
	castLikeTargetType
)

// CastLike is [CastOp] to the type of its second input.
//
// https://onnx.ai/onnx/operators/onnx__CastLike.html
var CastLike = &op.Op{
	Name:  "CastLike",
	Since: []int{15, 19, 21, 23, 24, 25},
	Attrs: []op.Attr{
		{Name: "round_mode", Kind: op.String, Default: "up", Values: []string{"up", "down", "nearest"}, Since: 24},
		{Name: "saturate", Kind: op.Int, Default: 1, Since: 19},
	},
	Inputs: []op.Port{
		castLikeInput:      {Name: "input", Types: elem.NotComplex},
		castLikeTargetType: {Name: "target_type", Types: elem.NotComplex},
	},
	Outputs: []op.Port{{Name: "output", Like: "target_type"}},
	Infer:   inferCastLike,
	Expand:  expandCastLike,
}

func inferCastLike(c *op.Infer) error {
	like, err := c.Tensor(castLikeTargetType)
	if err != nil {
		return err
	}
	return inferCastTo(c, like.Elem)
}

func expandCastLike(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	attrs := append(ir.Attrs{{Name: "to", Value: int64(n.In[castLikeTargetType].Type.Elem)}}, n.Attrs...)
	return []*ir.Value{b.OpA("Cast", attrs, n.In[castLikeInput])}, nil
}
