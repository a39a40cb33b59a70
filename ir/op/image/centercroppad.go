package image

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [CenterCropPad].
const (
	cropInputData = iota
	cropShape
)

// CenterCropPad brings axes to given sizes: it cuts their middle out or puts
// zeros around them.
//
// https://onnx.ai/onnx/operators/onnx__CenterCropPad.html
var CenterCropPad = &op.Op{
	Name:  "CenterCropPad",
	Since: []int{18},
	Attrs: []op.Attr{{Name: "axes", Kind: op.Ints}},
	Inputs: []op.Port{
		cropInputData: {Name: "input_data", Types: elem.Any},
		cropShape:     {Name: "shape", Types: elem.Indices},
	},
	Outputs: []op.Port{{Name: "output_data", Like: "input_data"}},
	Infer:   inferCenterCropPad,
	Grad:    centerCropPadGrad,
	Lower:   lowerCenterCropPad,
}

func inferCenterCropPad(c *op.Infer) error {
	x, err := c.Tensor(cropInputData)
	if err != nil {
		return err
	}
	if _, err := c.Read(cropShape); err != nil {
		return err
	}
	want, err := centerSizes(c.Node)
	if err != nil {
		return err
	}
	if err := op.CheckNotNegative(want); err != nil {
		return err
	}
	c.OutTensor(0, x.Elem, c.OutSizes(want)...)
	return nil
}

// centerSizes returns the shape that the output shall have.
func centerSizes(n *ir.Node) ([]ir.Dim, error) {
	shape := append([]ir.Dim{}, op.Shape(n.In[cropInputData])...)
	axes := op.AllAxes(len(shape))
	if n.Has("axes") {
		var err error
		if axes, err = op.Axes(n.Ints("axes"), len(shape)); err != nil {
			return nil, err
		}
	}
	want, _ := op.Content(n.In[cropShape])
	if len(want) != len(axes) {
		return nil, fmt.Errorf("shape has %d sizes for %d axes", len(want), len(axes))
	}
	for i, axis := range axes {
		shape[axis] = want[i]
	}
	return shape, nil
}

func lowerCenterCropPad(l *op.Lowering) error {
	x, y := l.In[cropInputData], l.Out[0]
	want, err := centerSizes(l.Node)
	if err != nil {
		return err
	}
	l.CountSizes(op.Shape(y), want)
	before := make([]ir.Dim, len(want))
	for i, n := range op.Shape(x) {
		before[i] = half(op.Shape(y)[i].Sub(n)).Sub(half(n.Sub(op.Shape(y)[i])))
	}
	l.Call("Pad", y, x, (*ir.Value)(nil), op.Shape(x), op.Shape(y), before, op.Const("PadConstant"))
	return nil
}

// half is d/2 rounded down, 0 if d is negative.
func half(d ir.Dim) ir.Dim { return op.AtLeast(d, ir.C(0)).Div(ir.C(2)) }

// dx = dy, padded where x was cropped and cropped where it was padded
func centerCropPadGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[cropInputData]
	if !n.Has("axes") {
		return []*ir.Value{b.Op("CenterCropPad", dy[0], op.ShapeOf(b, x))}
	}
	axes := n.Ints("axes")
	sizes := make([]*ir.Value, len(axes))
	for i, a := range axes {
		a, _ = op.Axis(a, len(op.Shape(x))) // inference has made sure
		sizes[i] = b.OpA("Shape", op.Attrs("start", a, "end", a+1), x)
	}
	return []*ir.Value{b.OpA("CenterCropPad", op.Attrs("axes", axes), dy[0], b.OpA("Concat", op.Attrs("axis", 0), sizes...))}
}
