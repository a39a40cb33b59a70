package shape

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [Compress].
const (
	compressInput = iota
	compressCondition
)

// Compress keeps the slices along an axis, or the elements of the flat input,
// for which a condition holds.
//
// https://onnx.ai/onnx/operators/onnx__Compress.html
var Compress = &op.Op{
	Name:  "Compress",
	Since: []int{9, 11, 28},
	Attrs: []op.Attr{{Name: "axis", Kind: op.Int}},
	Inputs: []op.Port{
		compressInput:     {Name: "input", Types: elem.Any},
		compressCondition: {Name: "condition", Types: elem.Bools},
	},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   inferCompress,
	Grad:    compressGrad,
	Lower:   lowerCompress,
	Bytes:   pickedBytes,
}

func inferCompress(c *op.Infer) error {
	x, err := c.Tensor(compressInput)
	if err != nil {
		return err
	}
	cond, err := c.Rank(compressCondition, 1)
	if err != nil {
		return err
	}
	if cond.Elem != tensor.Bool {
		return fmt.Errorf("condition is %s, want bool", cond)
	}
	shape, axis, err := uniqueAxis(c.Node)
	if err != nil {
		return err
	}
	shape[axis] = c.Fresh("count")
	c.OutTensor(0, x.Elem, shape...)
	return nil
}

func lowerCompress(l *op.Lowering) error {
	shape, axis, err := uniqueAxis(l.Node)
	if err != nil {
		return err
	}
	l.Count(0, "CompressCount", l.In[compressCondition], shape[axis])
	l.Call("Compress", l.Out[0], l.In[compressInput], l.In[compressCondition], op.Outer(shape, axis), shape[axis], op.Inner(shape, axis))
	return nil
}

// dx = dy at the places that were kept
func compressGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[compressInput]
	at := b.Op("Reshape", b.Op("NonZero", n.In[compressCondition]), b.Ints(-1))
	if n.Has("axis") {
		return []*ir.Value{op.OwnNode(b, "GatherGrad", op.Attrs("axis", n.Int("axis")), dy[0], at, x)}
	}
	flat := b.Op("Reshape", x, b.Ints(-1))
	return []*ir.Value{op.ReshapeLike(b, op.OwnNode(b, "GatherGrad", op.Attrs("axis", 0), dy[0], at, flat), x)}
}
