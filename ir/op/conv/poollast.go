package conv

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// pooledLast returns the type of the images of a pool with the channels last.
func pooledLast(c *op.Infer) (ir.Type, error) {
	x, err := c.Tensor(op.X)
	if err == nil && (x.Elem != tensor.Float32 && (c.Op != "MaxPoolLast" || !elem.Bytes.Has(x.Elem)) || len(x.Shape) < 3 || len(x.Shape) > 4) {
		err = fmt.Errorf("input is %s, want float32 with one or two spatial axes", x)
	}
	return x, err
}

func inferPoolLast(c *op.Infer) error {
	x, err := pooledLast(c)
	if err != nil {
		return err
	}
	first := channelsFirst(x.Shape)
	w, err := poolOf(c.Node, first)
	if err != nil {
		return err
	}
	c.OutTensor(0, x.Elem, channelsLast(append(first[:2:2], w.out...))...)
	return nil
}

func inferGlobalPoolLast(c *op.Infer) error {
	x, err := pooledLast(c)
	if err != nil {
		return err
	}
	_, out := wholeWindow(x.Shape)
	c.OutTensor(0, x.Elem, out...)
	return nil
}

// wholeWindow returns the window that shows each image in one piece, and the shape
// that is left of images.
func wholeWindow(last []ir.Dim) (window, []ir.Dim) {
	spatial := last[1 : len(last)-1]
	ones, zeros := make([]ir.Dim, len(spatial)), make([]ir.Dim, len(spatial))
	for i := range ones {
		ones[i], zeros[i] = ir.C(1), ir.C(0)
	}
	w := window{in: spatial, out: ones, kernel: spatial, stride: ones, dilation: ones, pad: zeros, padEnd: zeros}
	return w, append(append([]ir.Dim{last[0]}, ones...), last[len(last)-1])
}
