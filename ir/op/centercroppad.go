package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// CenterCropPad brings axes to given sizes: it cuts their middle out or puts
// zeros around them.
//
// https://onnx.ai/onnx/operators/onnx__CenterCropPad.html
var CenterCropPad = &Op{
	Name:    "CenterCropPad",
	Since:   []int{18},
	Attrs:   []Attr{{Name: "axes", Kind: Ints}},
	Inputs:  []Port{{Name: "input_data", Types: anyElem}, {Name: "shape", Types: indices}},
	Outputs: []Port{{Name: "output_data", Like: "input_data"}},
	Infer:   inferCenterCropPad,
	Grad:    centerCropPadGrad,
	Lower:   lowerCenterCropPad,
}

func inferCenterCropPad(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	if _, err := c.Read(1); err != nil {
		return err
	}
	want, err := centerSizes(c.Node)
	if err != nil {
		return err
	}
	if err := notNegative(want); err != nil {
		return err
	}
	c.OutTensor(0, x.Elem, c.sizes(want)...)
	return nil
}

// centerSizes is the shape that the output shall have.
func centerSizes(n *ir.Node) ([]ir.Dim, error) {
	shape := append([]ir.Dim{}, Shape(n.In[0])...)
	axes := allAxes(len(shape))
	if n.Has("axes") {
		var err error
		if axes, err = axesOf(n.Ints("axes"), len(shape)); err != nil {
			return nil, err
		}
	}
	want, _ := Content(n.In[1])
	if len(want) != len(axes) {
		return nil, fmt.Errorf("shape has %d sizes for %d axes", len(want), len(axes))
	}
	for i, axis := range axes {
		shape[axis] = want[i]
	}
	return shape, nil
}

func lowerCenterCropPad(l *Lowering) error {
	x, y := l.In[0], l.Out[0]
	want, err := centerSizes(l.Node)
	if err != nil {
		return err
	}
	l.countSizes(Shape(y), want)
	before := make([]ir.Dim, len(want))
	for i, n := range Shape(x) {
		before[i] = half(Shape(y)[i].Sub(n)).Sub(half(n.Sub(Shape(y)[i])))
	}
	l.Call("Pad", y, x, (*ir.Value)(nil), Shape(x), Shape(y), before, Const("PadConstant"))
	return nil
}

// half is d/2 rounded down, 0 if d is negative.
func half(d ir.Dim) ir.Dim { return atLeast(d, ir.C(0)).Div(ir.C(2)) }

// dx = dy, padded where x was cropped and cropped where it was padded
func centerCropPadGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[0]
	if !n.Has("axes") {
		return []*ir.Value{b.Op("CenterCropPad", dy[0], shapeOf(b, x))}
	}
	axes := n.Ints("axes")
	sizes := make([]*ir.Value, len(axes))
	for i, a := range axes {
		a, _ = Axis(a, len(Shape(x))) // inference has made sure
		sizes[i] = b.OpA("Shape", attr("start", a, "end", a+1), x)
	}
	return []*ir.Value{b.OpA("CenterCropPad", attr("axes", axes), dy[0], b.OpA("Concat", attr("axis", 0), sizes...))}
}
