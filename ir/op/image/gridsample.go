package image

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [GridSample].
const (
	gridSampleX = iota
	gridSampleGrid
)

// GridSample samples an image, or a volume, at the positions in a grid.
//
// https://onnx.ai/onnx/operators/onnx__GridSample.html
var GridSample = &op.Op{
	Name:  "GridSample",
	Since: []int{16, 20, 22},
	Attrs: gridSampleAttrs,
	Inputs: []op.Port{
		gridSampleX:    {Name: "X", Types: elem.Numbers, Lacks: elem.Of(tensor.String, tensor.Bool, tensor.Complex64, tensor.Complex128)},
		gridSampleGrid: {Name: "grid", Types: elem.Floats},
	},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferGridSample,
	Upgrade: upgradeGridSample,
	Grad:    gridSampleGrad,
	Lower:   lowerGridSample,
	Expand:  castGridSample,
	Expands: func(n *ir.Node) bool {
		x := n.In[gridSampleX].Type.Elem
		return x != n.In[gridSampleGrid].Type.Elem || x != tensor.Float32 && x != tensor.Float64
	},
}

var sampleModes = map[string]op.Const{"linear": "SampleLinear", "nearest": "SampleNearest", "cubic": "SampleCubic"}

var borderModes = map[string]op.Const{"zeros": "BorderZeros", "border": "BorderNearest", "reflection": "BorderReflect"}

func upgradeGridSample(_ *ir.Builder, n *ir.Node) error {
	if mode := n.Str("mode"); mode == "bilinear" || mode == "bicubic" {
		n.Attrs.Set("mode", mode[2:])
	}
	return nil
}

func inferGridSample(c *op.Infer) error {
	x, err := c.Tensor(gridSampleX)
	if err != nil {
		return err
	}
	r := len(x.Shape) - 2
	if r < 1 || r > 3 {
		return fmt.Errorf("input %q is %s, want rank 3 to 5", c.In[gridSampleX].Name, x)
	}
	grid, err := c.Rank(gridSampleGrid, r+2)
	if err != nil {
		return err
	}
	if err := c.CheckElems(gridSampleX, elem.Numbers); err != nil {
		return err
	}
	if err := c.CheckElems(gridSampleGrid, elem.Floats); err != nil {
		return err
	}
	_, ok1 := sampleModes[c.Str("mode")]
	_, ok2 := borderModes[c.Str("padding_mode")]
	if !ok1 || !ok2 {
		return fmt.Errorf("mode is %q and padding_mode is %q", c.Str("mode"), c.Str("padding_mode"))
	}
	_, err1 := c.Agree(gridSampleGrid, r+1, ir.C(r))
	n, err2 := c.Agree(gridSampleGrid, 0, x.Shape[0])
	if err1 != nil || err2 != nil {
		return fmt.Errorf("grid is %s, which does not fit %s", grid, x)
	}
	c.OutTensor(0, x.Elem, slices.Concat([]ir.Dim{n, x.Shape[1]}, grid.Shape[1:r+1])...)
	return nil
}

func lowerGridSample(l *op.Lowering) error {
	in, out := op.Shape(l.In[gridSampleX]), op.Shape(l.Out[0])
	l.Call("GridSample", l.Out[0], l.In[gridSampleX], l.In[gridSampleGrid], op.Struct{Type: "GridShape", Fields: []op.Field{
		{Name: "Batches", Value: in[0]}, {Name: "Channels", Value: in[1]}, {Name: "Points", Value: ir.Size(out[2:])},
		{Name: "In", Value: in[2:]}, {Name: "Mode", Value: sampleModes[l.Str("mode")]},
		{Name: "Border", Value: borderModes[l.Str("padding_mode")]}, {Name: "Align", Value: l.Int("align_corners") != 0},
	}})
	return nil
}

// castGridSample computes in float64 if an operand requires it, and in float32 otherwise.
func castGridSample(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	wide := tensor.Float32
	for _, v := range n.In {
		if elem := v.Type.Elem; elem == tensor.Float64 || elem.IsInt() && elem.Size() > 2 {
			wide = tensor.Float64
		}
	}
	in := make([]*ir.Value, 2)
	for i, v := range n.In {
		in[i] = v
		if v.Type.Elem != wide {
			in[i] = op.Cast(b, v, wide)
		}
	}
	y := op.Instead(b, n, "GridSample", n.Attrs, in...)
	if elem := n.In[gridSampleX].Type.Elem; elem != wide {
		y = op.Cast(b, y, elem)
	}
	return []*ir.Value{y}, nil
}

// dx by the weights of the samples, dgrid by the derivatives of these by the position
func gridSampleGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return op.OwnNodes(b, "GridSampleGrad", 2, n.Attrs, dy[0], n.In[gridSampleX], n.In[gridSampleGrid])
}

// gridSampleAttrs are the attributes of [GridSample], which others have, too.
var gridSampleAttrs = []op.Attr{
	{Name: "align_corners", Kind: op.Int, Default: 0},
	{Name: "mode", Kind: op.String, Default: "bilinear", Until: 20},
	{Name: "mode", Kind: op.String, Default: "linear", Since: 20},
	{Name: "padding_mode", Kind: op.String, Default: "zeros", Values: []string{"zeros", "border", "reflection"}},
}
