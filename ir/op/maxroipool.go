package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// MaxRoiPool takes the maximum of each cell of a grid over regions of images.
//
// https://onnx.ai/onnx/operators/onnx__MaxRoiPool.html
var MaxRoiPool = &Op{
	Name:  "MaxRoiPool",
	Since: []int{1, 22},
	Attrs: []Attr{
		{Name: "pooled_shape", Kind: Ints, Required: true},
		{Name: "spatial_scale", Kind: Float, Default: 1.0},
	},
	Inputs:  []Port{{Name: "X", Types: floats}, {Name: "rois", Like: "X"}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferMaxRoiPool,
	Grad:    maxRoiPoolGrad,
	Lower:   lowerMaxRoiPool,
	Widen:   true,
}

func inferMaxRoiPool(c *Infer) error {
	x, err := c.Rank(0, 4)
	if err != nil {
		return err
	}
	rois, err := c.Rank(1, 2)
	if err != nil {
		return err
	}
	if _, err := c.agree(1, 1, ir.C(5)); err != nil || rois.Elem != x.Elem {
		return fmt.Errorf("rois are %s, want %s[n,5]", rois, x.Elem)
	}
	size := c.Ints("pooled_shape")
	if len(size) != 2 || size[0] < 1 || size[1] < 1 {
		return fmt.Errorf("pooled_shape is %v, want two positive numbers", size)
	}
	c.OutTensor(0, x.Elem, rois.Shape[0], x.Shape[1], ir.C(size[0]), ir.C(size[1]))
	return nil
}

func lowerMaxRoiPool(l *Lowering) error {
	in, out := Shape(l.In[0]), Shape(l.Out[0])
	l.Call("MaxRoiPool", l.Out[0], l.In[0], l.In[1], out[0], in[0], in[1], in[2:], out[2:], l.Float("spatial_scale"))
	return nil
}

// dx = dy at the largest element of its cell; where the regions are is rounded
func maxRoiPoolGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{own(b, "MaxRoiPoolGrad", n.Attrs, dy[0], n.In[0], n.In[1]), nil}
}

// MaxRoiPoolGrad gives each element of dy to the first largest element of its
// cell. Its inputs are dy and those of the [MaxRoiPool].
var MaxRoiPoolGrad = &Op{
	Name:   "MaxRoiPoolGrad",
	Domain: Own,
	Since:  []int{1},
	Attrs: []Attr{
		{Name: "pooled_shape", Kind: Ints},
		{Name: "spatial_scale", Kind: Float, Default: 1.0},
	},
	Inputs:  []Port{{Name: "dy", Types: floats}, {Name: "X", Like: "dy"}, {Name: "rois", Like: "dy"}},
	Outputs: []Port{{Name: "dx", Like: "dy"}},
	Infer:   gradientOf(inferMaxRoiPool),
	Lower:   lowerMaxRoiPoolGrad,
	Widen:   true,
	Stops:   onlyOnce,
}

func lowerMaxRoiPoolGrad(l *Lowering) error {
	dy, in := Shape(l.In[0]), Shape(l.In[1])
	l.Call("MaxRoiPoolGrad", l.Out[0], l.In[0], l.In[1], l.In[2], dy[0], in[0], in[1], in[2:], dy[2:], l.Float("spatial_scale"))
	return nil
}
