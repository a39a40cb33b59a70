package image

import (
	"fmt"
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [Resize].
const (
	resizeX = iota
	resizeRoi
	resizeScales
	resizeSizes
)

// Resize scales axes: an element of the output is the nearest element of the
// input or a mean of those around.
//
// https://onnx.ai/onnx/operators/onnx__Resize.html
var Resize = &op.Op{
	Name:  "Resize",
	Since: []int{10, 11, 13, 18, 19},
	Attrs: resizeAttrs,
	Inputs: []op.Port{
		resizeX:      {Name: "X", Types: elem.Any},
		resizeRoi:    {Name: "roi", Types: elem.Floats, Optional: true, Since: 11},
		resizeScales: {Name: "scales", Types: elem.Float32s, Optional: true},
		resizeSizes:  {Name: "sizes", Types: elem.Indices, Optional: true, Since: 11},
	},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferResize,
	Upgrade: upgradeResize,
	Fixed:   []int{resizeRoi, resizeScales},
	Grad:    resizeGrad,
	Lower:   lowerResize,
	Expand:  castResize,
	Expands: castsResize,
	Last:    &op.LastForm{Build: lastResize},
}

func upgradeResize(_ *ir.Builder, n *ir.Node) error {
	if n.Version < 11 {
		return oldResize(n)
	}
	return nil
}

// oldResize converts a node with scales as input 1 to the current inputs, and sets attributes that preserve
// its behavior.
func oldResize(n *ir.Node) error {
	if len(n.In) != 2 {
		return fmt.Errorf("has %d inputs, want 2", len(n.In))
	}
	n.In = []*ir.Value{n.In[resizeX], nil, n.In[resizeRoi]}
	n.Attrs.Set("coordinate_transformation_mode", "asymmetric")
	n.Attrs.Set("nearest_mode", "simple")
	return nil
}

var resizeCoords = map[string]op.Const{
	"half_pixel":           "ResizeHalfPixel",
	"half_pixel_symmetric": "ResizeHalfPixelSymmetric",
	"pytorch_half_pixel":   "ResizePytorchHalfPixel",
	"align_corners":        "ResizeAlignCorners",
	"asymmetric":           "ResizeAsymmetric",
	"tf_crop_and_resize":   "ResizeCrop",
}

var nearestModes = map[string]op.Const{
	"round_prefer_floor": "ResizeRoundPreferFloor",
	"round_prefer_ceil":  "ResizeRoundPreferCeil",
	"floor":              "ResizeFloor",
	"ceil":               "ResizeCeil",
	"simple":             "ResizeSimple", // none of ONNX's
}

// resizing is the operands and attributes of a Resize.
type resizing struct {
	axes          []int
	coord, filter op.Const
	scales, roi   *ir.Value // nil if unused
	sizes         []ir.Dim
	policy        string
}

func resizingOf(n *ir.Node) (resizing, error) {
	r := resizing{
		axes:   op.AllAxes(len(op.Shape(n.In[resizeX]))),
		coord:  resizeCoords[n.Str("coordinate_transformation_mode")],
		scales: filled(n.Arg(resizeScales)),
		policy: n.Str("keep_aspect_ratio_policy"),
	}
	if n.Has("axes") {
		var err error
		if r.axes, err = op.Axes(n.Ints("axes"), len(r.axes)); err != nil {
			return r, err
		}
	}
	switch mode := n.Str("mode"); mode {
	case "nearest":
		r.filter = nearestModes[n.Str("nearest_mode")]
	case "linear", "bilinear", "trilinear":
		r.filter = "ResizeLinear"
	case "cubic":
		r.filter = "ResizeCubic"
	}
	switch {
	case r.filter == "":
		return r, fmt.Errorf("mode is %q with nearest_mode %q, want nearest, linear or cubic", n.Str("mode"), n.Str("nearest_mode"))
	case r.coord == "":
		return r, fmt.Errorf("coordinate_transformation_mode is %q", n.Str("coordinate_transformation_mode"))
	}
	if r.coord == "ResizeCrop" {
		r.roi = filled(n.Arg(resizeRoi))
	}
	if filled(n.Arg(resizeSizes)) != nil {
		r.sizes, _ = op.Content(n.In[resizeSizes])
	}
	return r, r.check()
}

// filled returns v, or nil if it has no elements, as early versions could not omit an input in another way.
func filled(v *ir.Value) *ir.Value {
	if v != nil && op.Len(v).Is(0) {
		return nil
	}
	return v
}

func (r resizing) check() error {
	switch n := ir.C(len(r.axes)); {
	case (r.scales == nil) == (r.sizes == nil):
		return fmt.Errorf("want either scales or sizes")
	case r.scales != nil && !op.Len(r.scales).Equal(n):
		return fmt.Errorf("scales %q has %s elements for %s axes", r.scales.Name, op.Len(r.scales), n)
	case r.scales == nil && len(r.sizes) != len(r.axes):
		return fmt.Errorf("%d sizes for %s axes", len(r.sizes), n)
	case r.coord == "ResizeCrop" && (r.roi == nil || !op.Len(r.roi).Equal(n.Mul(ir.C(2)))):
		return fmt.Errorf("tf_crop_and_resize needs a roi of %s elements", n.Mul(ir.C(2)))
	}
	return nil
}

// crops reports whether the axes show a part of the input.
func (r resizing) crops() bool { return r.roi != nil }

// keeps reports whether all axes have one scale.
func (r resizing) keeps() bool { return r.scales == nil && r.policy != "stretch" }

func inferResize(c *op.Infer) error {
	x, err := c.Tensor(resizeX)
	if err != nil {
		return err
	}
	for _, i := range []int{1, 2, 3} {
		if c.Arg(i) == nil {
			continue
		}
		if _, err := c.Rank(i, 1); err != nil {
			return err
		}
	}
	if filled(c.Arg(resizeSizes)) != nil {
		if _, err := c.Read(resizeSizes); err != nil {
			return err
		}
	}
	r, err := resizingOf(c.Node)
	if err != nil {
		return err
	}
	switch {
	case interpolates(r.filter) && !elem.Numbers.Has(x.Elem):
		return fmt.Errorf("input %q is %s, want a number", c.In[resizeX].Name, x.Elem)
	case r.scales != nil && r.scales.Type.Elem != tensor.Float32:
		return fmt.Errorf("scales %q is %s, want float32", r.scales.Name, r.scales.Type.Elem)
	case r.roi != nil && !elem.Floats.Has(r.roi.Type.Elem):
		return fmt.Errorf("roi %q is %s, want a float", r.roi.Name, r.roi.Type.Elem)
	}
	shape := append([]ir.Dim{}, x.Shape...)
	for i, axis := range r.axes {
		d, ok := r.size(i, x.Shape)
		if !ok || c.Module.FromData(d) {
			d = c.Fresh("dim")
		}
		shape[axis] = d
	}
	if err := op.CheckNotNegative(shape); err != nil {
		return err
	}
	c.OutTensor(0, x.Elem, shape...)
	return nil
}

func interpolates(c op.Const) bool { return c == "ResizeLinear" || c == "ResizeCubic" }

// size returns the new size of resized axis i, if it is known.
func (r resizing) size(i int, shape []ir.Dim) (ir.Dim, bool) {
	n := shape[r.axes[i]]
	switch {
	case r.keeps():
		return r.keptSize(i, shape)
	case r.scales == nil:
		return r.sizes[i], true
	case !r.scales.IsConst():
		return ir.Dim{}, false
	}
	return scaledSize(tensor.Data[float32](r.scales.Const)[i], n)
}

// scaledSize returns the size n times s, rounded down. A scale with few binary digits is a fraction. Others stand for a
// decimal number, and the product is a float32, as in ONNX Runtime and cpu.ResizeSize: 10 times 0.7 are 7, although the
// float32 is below 0.7. They have no symbolic result.
func scaledSize(s float32, n ir.Dim) (ir.Dim, bool) {
	const digits = 1 << 10
	parts := float64(s) * digits
	fraction := parts == math.Floor(parts)
	if k, ok := n.Const(); ok {
		size := float64(s) * float64(k)
		if !fraction {
			size = float64(s * float32(k))
		}
		size = math.Floor(size)
		return ir.C(int(size)), size >= 0 && size < op.FarAway
	}
	for q := 1; fraction && q <= digits; q *= 2 {
		if p := float64(s) * float64(q); p == math.Floor(p) && p > 0 && p < op.FarAway {
			return n.Mul(ir.C(int(p))).Div(ir.C(q)), true
		}
	}
	return ir.Dim{}, false
}

func (r resizing) keptSize(i int, shape []ir.Dim) (ir.Dim, bool) {
	want, ok := ir.Static(r.sizes)
	scale := math.Inf(1)
	if r.policy == "not_smaller" {
		scale = 0
	}
	for k, axis := range r.axes {
		n, static := shape[axis].Const()
		if !ok || !static || n == 0 {
			return ir.Dim{}, false
		}
		if s := float64(want[k]) / float64(n); r.policy == "not_smaller" {
			scale = max(scale, s)
		} else {
			scale = min(scale, s)
		}
	}
	n, _ := shape[r.axes[i]].Const()
	size := math.Floor(float64(scale*float64(n)) + 0.5)
	return ir.C(int(size)), size >= 0 && size < op.FarAway
}

// dx = dy, by the weights that it was made with
func resizeGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{op.OwnNode(b, "ResizeGrad", n.Attrs, append([]*ir.Value{dy[0]}, n.In...)...)}
}

// resizeAttrs are the attributes of [Resize], which others have, too.
var resizeAttrs = []op.Attr{
	{Name: "antialias", Kind: op.Int, Default: 0, Since: 18},
	{Name: "axes", Kind: op.Ints, Since: 18},
	{Name: "coordinate_transformation_mode", Kind: op.String, Default: "half_pixel", Since: 11},
	{Name: "cubic_coeff_a", Kind: op.Float, Default: -0.75, Since: 11},
	{Name: "exclude_outside", Kind: op.Int, Default: 0, Since: 11},
	{Name: "extrapolation_value", Kind: op.Float, Default: 0.0, Since: 11},
	{Name: "keep_aspect_ratio_policy", Kind: op.String, Default: "stretch", Values: []string{"stretch", "not_larger", "not_smaller"}, Since: 18},
	{Name: "mode", Kind: op.String, Default: "nearest"},
	{Name: "nearest_mode", Kind: op.String, Default: "round_prefer_floor", Since: 11},
}

// lastResize has its scales or sizes in another order.
func lastResize(l *op.Last) *ir.Value {
	rank := len(op.Shape(l.In[resizeX]))
	if l.Has("axes") || filled(l.Arg(resizeRoi)) != nil && l.Str("coordinate_transformation_mode") == "tf_crop_and_resize" ||
		l.Str("keep_aspect_ratio_policy") != "stretch" {
		return nil
	}
	in := []*ir.Value{nil, nil, nil, nil}
	switch scales, sizes := filled(l.Arg(resizeScales)), filled(l.Arg(resizeSizes)); {
	case scales.IsConst() && scales.Const.Len() == rank:
		to := make([]float32, rank)
		for i, s := range tensor.Data[float32](scales.Const) {
			to[op.LastAxis(i, rank)] = s
		}
		in[2] = l.B.Const(tensor.Of(to, rank))
		in = in[:3]
	case sizes.IsConst() && sizes.Const.Len() == rank && sizes.Type.Elem == tensor.Int64:
		to := make([]int, rank)
		for i, s := range tensor.Data[int64](sizes.Const) {
			to[op.LastAxis(i, rank)] = ir.Int(s)
		}
		in[3] = l.B.Ints(to...)
	default:
		return nil
	}
	if in[0] = l.Of(l.In[resizeX]); in[0] == nil {
		return nil
	}
	return l.B.OpA("Resize", l.Attrs, in...)
}
