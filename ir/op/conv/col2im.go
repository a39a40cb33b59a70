package conv

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [Col2Im].
const (
	col2ImInput = iota
	col2ImImageShape
	col2ImBlockShape
)

// Col2Im sums columns of blocks to the images that they were taken from.
//
// https://onnx.ai/onnx/operators/onnx__Col2Im.html
var Col2Im = &op.Op{
	Name:  "Col2Im",
	Since: []int{18},
	Attrs: []op.Attr{
		{Name: "dilations", Kind: op.Ints},
		{Name: "pads", Kind: op.Ints},
		{Name: "strides", Kind: op.Ints},
	},
	Inputs: []op.Port{
		col2ImInput:      {Name: "input", Types: elem.Numbers, Lacks: elem.Of(tensor.String, tensor.Bool, tensor.Complex64, tensor.Complex128)},
		col2ImImageShape: {Name: "image_shape", Types: elem.Int64s},
		col2ImBlockShape: {Name: "block_shape", Types: elem.Int64s},
	},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   inferCol2Im,
	Grad:    col2ImGrad,
	Lower:   lowerCol2Im,
	Widen:   true,
}

// colBlocks is the operands and attributes of a Col2Im, axis by axis.
type colBlocks struct {
	image, shape, count       []ir.Dim
	strides, dilations, front []int
}

func colBlocksOf(n *ir.Node) (colBlocks, error) {
	image, _ := op.Content(n.In[col2ImImageShape])
	shape, _ := op.Content(n.In[col2ImBlockShape])
	b := colBlocks{image: image, shape: shape, strides: n.Ints("strides"), dilations: n.Ints("dilations")}
	pads, r := n.Ints("pads"), len(image)
	if b.strides == nil {
		b.strides = slices.Repeat([]int{1}, r)
	}
	if b.dilations == nil {
		b.dilations = slices.Repeat([]int{1}, r)
	}
	if pads == nil {
		pads = make([]int, 2*r)
	}
	if r < 1 || len(shape) != r || len(b.strides) != r || len(b.dilations) != r || len(pads) != 2*r {
		return b, fmt.Errorf("image_shape %v, block_shape %v, strides %v, dilations %v and pads %v do not fit", image, shape, b.strides, b.dilations, pads)
	}
	b.front = pads[:r]
	for i := range r {
		if b.strides[i] < 1 || b.dilations[i] < 1 {
			return b, fmt.Errorf("strides are %v and dilations %v, want positive numbers", b.strides, b.dilations)
		}
		span := shape[i].Sub(ir.C(1)).Mul(ir.C(b.dilations[i]))
		rest := image[i].Add(ir.C(pads[i] + pads[r+i])).Sub(span).Sub(ir.C(1))
		b.count = append(b.count, rest.Div(ir.C(b.strides[i])).Add(ir.C(1)))
	}
	return b, nil
}

func inferCol2Im(c *op.Infer) error {
	x, err := c.Rank(col2ImInput, 3)
	if err != nil {
		return err
	}
	for _, i := range []int{1, 2} {
		if _, err := c.Read(i); err != nil {
			return err
		}
	}
	b, err := colBlocksOf(c.Node)
	if err != nil {
		return err
	}
	if err := op.CheckNotNegative(slices.Concat(b.image, b.shape, b.count)); err != nil {
		return err
	}
	if _, err := c.Agree(col2ImInput, 2, ir.Size(b.count)); err != nil {
		return fmt.Errorf("input %q has %s blocks, want %s", c.In[col2ImInput].Name, x.Shape[2], ir.Size(b.count))
	}
	size := ir.Size(b.shape)
	if n, ok := size.Const(); ok && n == 0 {
		return fmt.Errorf("block_shape is %v, want positive sizes", b.shape)
	}
	if m, ok := x.Shape[1].Const(); ok {
		if n, ok := size.Const(); ok && m%n != 0 {
			return fmt.Errorf("input %q has %d rows, want a multiple of %d", c.In[col2ImInput].Name, m, n)
		}
	}
	channels := x.Shape[1].Div(size)
	if c.Module.FromData(channels) {
		channels = c.Fresh("channels")
	}
	c.OutTensor(0, x.Elem, slices.Concat([]ir.Dim{x.Shape[0], channels}, c.OutSizes(b.image))...)
	return nil
}

func lowerCol2Im(l *op.Lowering) error {
	y, x := l.Out[0], op.Shape(l.In[col2ImInput])
	b, err := colBlocksOf(l.Node)
	if err != nil {
		return err
	}
	k := 0
	if l.IsSym(op.Shape(y)[1], 0) {
		l.Count(0, "Col2ImChannels", b.shape, b.count, x[1], x[2])
		k++
	}
	for i, d := range op.Shape(y)[2:] {
		if l.IsSym(d, k) {
			l.Count(k, "Extent", b.image[i:i+1], "Col2Im")
			k++
		}
	}
	l.Call("Col2Im", y, l.In[col2ImInput], x[0].Mul(op.Shape(y)[1]), op.Struct{Type: "Window", Fields: []op.Field{
		{Name: "In", Value: op.Shape(y)[2:]}, {Name: "Out", Value: b.count}, {Name: "Kernel", Value: b.shape},
		{Name: "Stride", Value: b.strides}, {Name: "Dilation", Value: b.dilations}, {Name: "Pad", Value: b.front},
	}})
	return nil
}

// dx = the columns of the gradient
func col2ImGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{op.OwnNode(b, "Col2ImGrad", n.Attrs, append([]*ir.Value{dy[0]}, n.In...)...)}
}
