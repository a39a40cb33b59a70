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
	In:    One,
	Out:   One,
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
