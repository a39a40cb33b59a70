package op

// BitShift shifts the bits of a by b, to the left or the right as direction
// says. Signed numbers keep their sign.
//
// https://onnx.ai/onnx/operators/onnx__BitShift.html
var BitShift = &Op{
	Name:    "BitShift",
	Since:   []int{11, 28},
	Attrs:   []Attr{{Name: "direction", Kind: String, Values: []string{"LEFT", "RIGHT"}, Required: true}},
	Inputs:  []Port{{Name: "X", Types: integers}, {Name: "Y", Like: "X"}},
	Outputs: []Port{{Name: "Z", Like: "X"}},
	Infer:   inferBinary,
	Lower:   lowerBitShift,
	InPlace: true,
	Stops:   fromIntegers,

	Broadcasts: true,
}

func lowerBitShift(l *Lowering) error {
	kernel := "ShiftLeft"
	if l.Str("direction") == "RIGHT" {
		kernel = "ShiftRight"
	}
	lowerBinary(l, kernel, l.Out[0], l.In[0], l.In[1])
	return nil
}
