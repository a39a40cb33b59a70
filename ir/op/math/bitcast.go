package math

import (
	"fmt"

	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// BitCast reads the bits of its input as elements of another type that is as
// wide.
//
// https://onnx.ai/onnx/operators/onnx__BitCast.html
var BitCast = &op.Op{
	Name:  "BitCast",
	Since: []int{26},
	Attrs: []op.Attr{{Name: "to", Kind: op.Int, Required: true}},
	Inputs: []op.Port{
		{Name: "input", Types: bits8to64, Lacks: elem.Of(tensor.Complex128, tensor.Uint4, tensor.Int4, tensor.Float4E2M1, tensor.Uint2, tensor.Int2)},
	},
	Outputs: []op.Port{
		{Name: "output", Types: elem.Any},
	},
	Infer: inferBitCast,
	Lower: op.Unary("BitCast"),
	Stops: "it reads the bits of one type as another",
}

func inferBitCast(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	to, err := op.DtypeAttr(c.Node, "to", tensor.Undefined)
	if err != nil {
		return err
	}
	if to.Bits() != x.Elem.Bits() || to == tensor.String || x.Elem == tensor.String {
		return fmt.Errorf("cannot read the bits of %s as %s", x.Elem, to)
	}
	c.OutTensor(0, to, x.Shape...)
	return nil
}

// bits8to64 are element types with the same number of bits in memory and in a file.
var bits8to64 = elem.NumbersOrBools.Or("", elem.Float8s).Or("elements of 8, 16, 32 or 64 bits", elem.Of(tensor.Complex64, tensor.Float8E8M0))
