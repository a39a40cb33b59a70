package op

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// BitCast reads the bits of its input as elements of another type that is as
// wide.
//
// https://onnx.ai/onnx/operators/onnx__BitCast.html
var BitCast = &Op{
	Name:  "BitCast",
	Since: []int{26},
	Attrs: []Attr{{Name: "to", Kind: Int, Required: true}},
	Inputs: []Port{
		{Name: "input", Types: bits8to64, Lacks: elems(tensor.Complex128, tensor.Uint4, tensor.Int4, tensor.Float4E2M1, tensor.Uint2, tensor.Int2)},
	},
	Outputs: []Port{
		{Name: "output", Types: anyElem},
	},
	Infer: inferBitCast,
	Lower: unary("BitCast"),
	Stops: "it reads the bits of one type as another",
}

func inferBitCast(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	to, err := dtypeAttr(c.Node, "to", tensor.Undefined)
	if err != nil {
		return err
	}
	if to.Bits() != x.Elem.Bits() || to == tensor.String || x.Elem == tensor.String {
		return fmt.Errorf("cannot read the bits of %s as %s", x.Elem, to)
	}
	c.OutTensor(0, to, x.Shape...)
	return nil
}

// bits8to64 are elements of which each has as many bits in memory as in a file.
var bits8to64 = numbersOrBool.or("", float8s).or("elements of 8, 16, 32 or 64 bits", elems(tensor.Complex64, tensor.Float8E8M0))
