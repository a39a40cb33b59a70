package image

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// ImageDecoder decodes the bytes of an image file; one that cannot be decoded
// has no pixels.
//
// https://onnx.ai/onnx/operators/onnx__ImageDecoder.html
var ImageDecoder = &op.Op{
	Name:    "ImageDecoder",
	Since:   []int{20},
	Attrs:   []op.Attr{{Name: "pixel_format", Kind: op.String, Default: "RGB", Values: []string{"RGB", "BGR", "Grayscale"}}},
	Inputs:  []op.Port{{Name: "encoded_stream", Types: elem.Uint8s}},
	Outputs: []op.Port{{Name: "image", Types: elem.Uint8s}},
	Infer:   inferImageDecoder,
	Lower:   lowerImageDecoder,
	Stops:   op.StopFromIntegers,
}

func inferImageDecoder(c *op.Infer) error {
	x, err := c.Rank(op.X, 1)
	if err != nil {
		return err
	}
	if x.Elem != tensor.Uint8 {
		return fmt.Errorf("input %q is %s, want uint8", c.In[op.X].Name, x.Elem)
	}
	channels := 3
	if c.Str("pixel_format") == "Grayscale" {
		channels = 1
	}
	c.OutTensor(0, tensor.Uint8, c.Fresh("height"), c.Fresh("width"), ir.C(channels))
	return nil
}

func lowerImageDecoder(l *op.Lowering) error {
	size := l.Scratch(tensor.Int64, ir.C(2))
	l.Call("imagedec.Measure", size, l.In[op.X])
	l.Count(0, "imagedec.Height", size)
	l.Count(1, "imagedec.Width", size)
	l.Call("imagedec.Decode", l.Out[0], l.In[op.X], l.Str("pixel_format"))
	return nil
}
