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
		{Name: "input", Types: elems(tensor.Float32, tensor.Uint8, tensor.Int8, tensor.Uint16, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Bool, tensor.Float16, tensor.Float64, tensor.Uint32, tensor.Uint64, tensor.Complex64, tensor.BFloat16, tensor.Float8E4M3FN, tensor.Float8E4M3FNUZ, tensor.Float8E5M2, tensor.Float8E5M2FNUZ, tensor.Float8E8M0), Lacks: elems(tensor.Complex128, tensor.Uint4, tensor.Int4, tensor.Float4E2M1, tensor.Uint2, tensor.Int2)},
	},
	Outputs: []Port{
		{Name: "output", Types: elems(tensor.Float32, tensor.Uint8, tensor.Int8, tensor.Uint16, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Bool, tensor.Float16, tensor.Float64, tensor.Uint32, tensor.Uint64, tensor.Complex64, tensor.Complex128, tensor.BFloat16, tensor.Float8E4M3FN, tensor.Float8E4M3FNUZ, tensor.Float8E5M2, tensor.Float8E5M2FNUZ, tensor.Uint4, tensor.Int4, tensor.Float4E2M1, tensor.Float8E8M0, tensor.Uint2, tensor.Int2)},
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
