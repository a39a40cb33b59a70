package op

import "fmt"

// BitShift shifts the bits of a by b, to the left or the right as direction
// says. Signed numbers keep their sign.
//
// https://onnx.ai/onnx/operators/onnx__BitShift.html
var BitShift = &Op{
	Name:    "BitShift",
	Since:   []int{11, 28},
	In:      Two,
	Out:     One,
	Infer:   inferBitShift,
	Lower:   lowerBitShift,
	InPlace: true,
	Stops:   fromIntegers,

	Broadcasts: true,
}

func inferBitShift(c *Infer) error {
	if d := c.Str("direction", ""); d != "LEFT" && d != "RIGHT" {
		return fmt.Errorf("direction is %q, want LEFT or RIGHT", d)
	}
	return binaryOf(integers)(c)
}

func lowerBitShift(l *Lowering) error {
	kernel := "ShiftLeft"
	if l.Str("direction", "") == "RIGHT" {
		kernel = "ShiftRight"
	}
	lowerBinary(l, kernel, l.Out[0], l.In[0], l.In[1])
	return nil
}
