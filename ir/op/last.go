package op

import (
	"math"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Last builds what a node computes from data with the channels last.
type Last struct {
	*ir.Node
	B *ir.Builder

	// Of is v, an operand that broadcasts to the node's result, with its
	// channels last; nil if there is no way to have it so.
	Of func(v *ir.Value) *ir.Value

	// Moves reports whether data must be moved for v to have its channels last.
	Moves func(v *ir.Value) bool
}

// LastForm is the form of an operator on data with the channels last.
type LastForm struct {
	// Build gives output 0 with its channels last; nil if the node has no such
	// form.
	Build func(l *Last) *ir.Value

	// BuildAll gives all outputs, for an operator of several.
	BuildAll func(l *Last) []*ir.Value

	// Starts: the form pays although the data must be moved first.
	Starts bool
}

// lastForms are the operators that work with the channels last, but for those
// that work element by element.
var lastForms = map[*Op]LastForm{
	AveragePool:           {Build: lastPool},
	BatchNormalization:    {Build: lastBatchNorm},
	ByteTable:             {Build: lastByteTable},
	Concat:                {Build: lastConcat},
	Conv:                  {Build: lastConv, Starts: true},
	ConvInteger:           {Build: lastConvInteger, Starts: true},
	ConvTranspose:         {Build: lastConvTranspose, Starts: true},
	DequantizeLinear:      {Build: lastQuantize},
	DynamicQuantizeLinear: {BuildAll: lastDynamicQuantize},
	FusedAffine:           {Build: lastAffine},
	FusedConv:             {Build: lastConv, Starts: true},
	GlobalAveragePool:     {Build: lastGlobalPool},
	GlobalMaxPool:         {Build: lastGlobalPool},
	GroupNormalization:    {Build: lastGroupNorm},
	InstanceNormalization: {Build: lastGroupNorm},
	MaxPool:               {Build: lastPool},
	Pad:                   {Build: lastPad},
	QConv:                 {Build: lastQConv, Starts: true},
	QuantizeLinear:        {Build: lastQuantize},
	ReduceMean:            {Build: lastReduceMean},
	Reshape:               {Build: lastShuffle},
	Resize:                {Build: lastResize},
	Slice:                 {Build: lastSlice},
	Split:                 {BuildAll: lastSplit},
}

// pointwise are the operators whose result at a place depends on the operands at
// this place only, which broadcast.
var pointwise = []*Op{
	Abs, Add, CastOp, Ceil, Celu, Clip, Div, Elu, Erf, Exp, Floor, Gelu, HardSigmoid, HardSwish, LeakyRelu, Log, Max, Mean, Min,
	Mish, Mul, Neg, PRelu, Pow, Reciprocal, Relu, Round, Selu, Sigmoid, Sign, Softplus, Softsign, Sqrt, Sub, Sum, SwiGLU,
	Swish, Tanh, ThresholdedRelu,
}

// Pointwise reports whether each element of the node's output depends on the
// operands at its place only, which broadcast, and on tables.
func Pointwise(n *ir.Node) bool {
	switch o := Lookup(n); o {
	case ByteTable:
		return true
	case DequantizeLinear, QuantizeLinear:
		return oneScale(n)
	default:
		return slices.Contains(pointwise, o)
	}
}

// FindLast is the form of a node's operator with the channels last; it is not ok
// if there is none.
func FindLast(n *ir.Node) (form LastForm, ok bool) {
	o := Lookup(n)
	if slices.Contains(pointwise, o) {
		return LastForm{Build: lastPointwise}, true
	}
	form, ok = lastForms[o]
	return form, ok
}

// own adds a node of bbgen's own.
func (l *Last) own(op string, attrs ir.Attrs, in ...*ir.Value) *ir.Value {
	n := &ir.Node{Op: op, Domain: Own, Attrs: slices.Clone(attrs), In: in, Class: l.Class, Pos: l.Pos}
	n.Name = l.B.Module.FreshName(l.B.Prefix + "last")
	n.Out = []*ir.Value{{Name: n.Name, Def: n}}
	return l.B.Add(n)[0]
}

// several adds a node of ONNX's with as many outputs as the node at hand has.
func (l *Last) several(op string, attrs ir.Attrs, in ...*ir.Value) []*ir.Value {
	n := &ir.Node{Op: op, Attrs: attrs, In: in, Class: l.Class, Pos: l.Pos, Name: l.B.Module.FreshName(l.B.Prefix + "last")}
	for range l.Out {
		n.Out = append(n.Out, &ir.Value{Name: l.B.Module.FreshName(n.Name), Def: n})
	}
	return l.B.Add(n)
}

// all is every input with its channels last.
func (l *Last) all() []*ir.Value {
	in := make([]*ir.Value, len(l.In))
	for i, v := range l.In {
		if v == nil {
			continue
		}
		if in[i] = l.Of(v); in[i] == nil {
			return nil
		}
	}
	return in
}

func lastPointwise(l *Last) *ir.Value {
	in := l.all()
	if in == nil {
		return nil
	}
	return l.B.OpA(l.Op, l.Attrs, in...)
}

func lastConv(l *Last) *ir.Value {
	if !l.In[1].IsConst() || l.In[1].Type.Elem != tensor.Float32 {
		return nil
	}
	in, attrs := slices.Clone(l.In), slices.Clone(l.Attrs)
	if l.planes() {
		attrs.Set("planes", int64(1))
	} else if in[0] = l.Of(in[0]); in[0] == nil {
		return nil
	}
	if r := l.Arg(3); r != nil {
		if in[3] = l.Of(r); in[3] == nil {
			return nil
		}
	}
	return l.own("ConvLast", attrs, in...)
}

// lastQConv has all it needs but the images as it is.
func lastQConv(l *Last) *ir.Value {
	in, attrs := slices.Clone(l.In), slices.Clone(l.Attrs)
	if l.planes() {
		attrs.Set("planes", int64(1))
	} else if in[0] = l.Of(in[0]); in[0] == nil {
		return nil
	}
	return l.own("QConvLast", attrs, in...)
}

// lastQuantize has one scale and one zero point.
func lastQuantize(l *Last) *ir.Value {
	in := slices.Clone(l.In)
	for _, v := range in[1:] {
		if v != nil && !ir.Size(Shape(v)).Is(1) {
			return nil
		}
	}
	if in[0] = l.Of(in[0]); in[0] == nil {
		return nil
	}
	return l.B.OpA(l.Op, l.Attrs, in...)
}

// lastByteTable has its table as it is.
func lastByteTable(l *Last) *ir.Value {
	x := l.Of(l.In[0])
	if x == nil {
		return nil
	}
	return l.own("ByteTable", nil, x, l.In[1])
}

// lastDynamicQuantize has a scale and a zero point for all elements.
func lastDynamicQuantize(l *Last) []*ir.Value {
	x := l.Of(l.In[0])
	if x == nil {
		return nil
	}
	return l.several("DynamicQuantizeLinear", l.Attrs, x)
}

// planes reports whether a convolution had better read its few channels where
// they are, in front, than have them moved.
func (l *Last) planes() bool {
	const few = 4
	w := l.In[1].Const.Shape
	taps := w[len(w)-1]
	return l.Moves(l.In[0]) && w[1] > 1 && w[1] <= few && taps > 1 && l.Int("group") == 1
}

func lastConvTranspose(l *Last) *ir.Value {
	w := l.In[1]
	if !w.IsConst() || w.Type.Elem != tensor.Float32 || l.Int("group") != 1 {
		return nil
	}
	in := slices.Clone(l.In)
	if in[0] = l.Of(in[0]); in[0] == nil {
		return nil
	}
	return l.own("ConvTransposeLast", l.Attrs, in...)
}

// lastGroupNorm stands for the normalisation of channels, too.
func lastGroupNorm(l *Last) *ir.Value {
	channels, ok := Shape(l.In[0])[1].Const()
	if !ok || l.In[0].Type.Elem != tensor.Float32 || l.In[1].Type.Elem != tensor.Float32 {
		return nil
	}
	x := l.Of(l.In[0])
	if x == nil {
		return nil
	}
	attrs := slices.Clone(l.Attrs)
	if l.Op == "InstanceNormalization" {
		attrs.Set("num_groups", int64(channels))
	}
	return l.own("GroupNormLast", attrs, x, l.In[1], l.In[2])
}

// lastBatchNorm is a filter of one tap for each channel.
func lastBatchNorm(l *Last) *ir.Value {
	var c [5][]float32
	for i := 1; i < 5; i++ {
		if !l.In[i].IsConst() || l.In[i].Type.Elem != tensor.Float32 {
			return nil
		}
		c[i] = tensor.Data[float32](l.In[i].Const)
	}
	if l.Int("training_mode") != 0 || l.Res(0).Type.Elem != tensor.Float32 {
		return nil
	}
	scale, shift, eps := make([]float32, len(c[1])), make([]float32, len(c[1])), l.Float("epsilon")
	for i := range scale {
		f := float64(c[1][i]) / math.Sqrt(float64(c[4][i])+eps)
		scale[i], shift[i] = float32(f), float32(float64(c[2][i])-float64(c[3][i])*f)
	}
	return l.eachChannel(l.In[0], scale, l.B.Const(tensor.Of(shift, len(shift))), "")
}

// lastAffine is the same.
func lastAffine(l *Last) *ir.Value {
	scale, shift := l.In[1], l.In[2]
	axis, err := Axis(l.Int("axis"), len(Shape(l.In[0])))
	if err != nil || axis != 1 || !scale.IsConst() || scale.Type.Elem != tensor.Float32 {
		return nil
	}
	return l.eachChannel(l.In[0], tensor.Data[float32](scale.Const), shift, l.Str("activation"))
}

// eachChannel is act(x·scale + shift), a convolution of as many groups as there
// are channels.
func (l *Last) eachChannel(x *ir.Value, scale []float32, shift *ir.Value, act string) *ir.Value {
	if x = l.Of(x); x == nil {
		return nil
	}
	shape := slices.Repeat([]int{1}, len(Shape(x)))
	shape[0] = len(scale)
	attrs := ir.Attrs{}
	attrs.Set("group", int64(len(scale)))
	if act != "" {
		attrs.Set("activation", act)
	}
	return l.own("ConvLast", attrs, x, l.B.Const(tensor.Of(scale, shape...)), shift)
}

// lastPool has kernels for float32, or bytes of which the largest is looked for,
// and up to two spatial axes.
func lastPool(l *Last) *ir.Value {
	t := l.In[0].Type
	if t.Elem != tensor.Float32 && (l.Op != "MaxPool" || !octets.has(t.Elem)) || len(t.Shape) < 3 || len(t.Shape) > 4 || l.Res(1) != nil {
		return nil
	}
	x := l.Of(l.In[0])
	if x == nil {
		return nil
	}
	return l.own(l.Op+"Last", l.Attrs, x)
}

func lastGlobalPool(l *Last) *ir.Value { return lastPool(l) }

// lastReduceMean knows the mean of each channel.
func lastReduceMean(l *Last) *ir.Value {
	axes, ok := Content(l.Arg(1))
	if !ok || l.Int("keepdims") == 0 {
		return nil
	}
	rank := len(Shape(l.In[0]))
	seen := map[int]bool{}
	for _, d := range axes {
		a, ok := d.Const()
		if a, err := Axis(a, rank); ok && err == nil {
			seen[a] = true
		}
	}
	if len(axes) != rank-2 || len(seen) != rank-2 || seen[0] || seen[1] || rank < 3 || rank > 4 || l.In[0].Type.Elem != tensor.Float32 {
		return nil
	}
	x := l.Of(l.In[0])
	if x == nil {
		return nil
	}
	return l.own("ReduceMeanLast", nil, x)
}

// lastAxis is where an axis stands with the channels last.
func lastAxis(axis, rank int) int {
	switch axis {
	case 0:
		return 0
	case 1:
		return rank - 1
	}
	return axis - 1
}

func lastConcat(l *Last) *ir.Value {
	rank := len(Shape(l.Res(0)))
	axis, err := Axis(l.Int("axis"), rank)
	in := l.all()
	if in == nil || err != nil {
		return nil
	}
	attrs := ir.Attrs{}
	attrs.Set("axis", int64(lastAxis(axis, rank)))
	return l.B.OpA("Concat", attrs, in...)
}

// lastSplit cuts another axis.
func lastSplit(l *Last) []*ir.Value {
	rank := len(Shape(l.In[0]))
	axis, err := Axis(l.Int("axis"), rank)
	x := l.Of(l.In[0])
	if x == nil || err != nil {
		return nil
	}
	attrs := slices.Clone(l.Attrs)
	attrs.Set("axis", int64(lastAxis(axis, rank)))
	return l.several("Split", attrs, append([]*ir.Value{x}, l.In[1:]...)...)
}

// lastSlice names other axes.
func lastSlice(l *Last) *ir.Value {
	rank := len(Shape(l.In[0]))
	axes, ok := ir.Static(slicingOf(l.Node).axes)
	x := l.Of(l.In[0])
	if x == nil || !ok {
		return nil
	}
	to := make([]int, len(axes))
	for i, a := range axes {
		a, err := Axis(a, rank)
		if err != nil {
			return nil
		}
		to[i] = lastAxis(a, rank)
	}
	in := []*ir.Value{x, l.In[1], l.In[2], l.B.Ints(to...)}
	if l.Arg(4) != nil {
		in = append(in, l.In[4])
	}
	return l.B.Op("Slice", in...)
}

// lastPad has its pads in another order.
func lastPad(l *Last) *ir.Value {
	pads, ok := Content(l.Arg(1))
	consts, static := ir.Static(pads)
	rank := len(Shape(l.In[0]))
	if !ok || !static || len(pads) != 2*rank || l.Arg(3) != nil {
		return nil
	}
	x := l.Of(l.In[0])
	if x == nil {
		return nil
	}
	to := make([]int, len(consts))
	for i, p := range consts {
		to[i/rank*rank+lastAxis(i%rank, rank)] = p
	}
	in := []*ir.Value{x, l.B.Ints(to...)}
	if l.Arg(2) != nil {
		in = append(in, l.In[2])
	}
	return l.B.OpA("Pad", l.Attrs, in...)
}

// lastResize has its scales or sizes in another order.
func lastResize(l *Last) *ir.Value {
	rank := len(Shape(l.In[0]))
	if l.Has("axes") || filled(l.Arg(1)) != nil && l.Str("coordinate_transformation_mode") == "tf_crop_and_resize" ||
		l.Str("keep_aspect_ratio_policy") != "stretch" {
		return nil
	}
	in := []*ir.Value{nil, nil, nil, nil}
	switch scales, sizes := filled(l.Arg(2)), filled(l.Arg(3)); {
	case scales.IsConst() && scales.Const.Len() == rank:
		to := make([]float32, rank)
		for i, s := range tensor.Data[float32](scales.Const) {
			to[lastAxis(i, rank)] = s
		}
		in[2] = l.B.Const(tensor.Of(to, rank))
		in = in[:3]
	case sizes.IsConst() && sizes.Const.Len() == rank && sizes.Type.Elem == tensor.Int64:
		to := make([]int, rank)
		for i, s := range tensor.Data[int64](sizes.Const) {
			to[lastAxis(i, rank)] = int(s)
		}
		in[3] = l.B.Ints(to...)
	default:
		return nil
	}
	if in[0] = l.Of(l.In[0]); in[0] == nil {
		return nil
	}
	return l.B.OpA("Resize", l.Attrs, in...)
}

// lastShuffle knows a Reshape that puts the channels of groups in turns:
//
//	[N, C, …] → [N, G, C/G, …] → [N, C/G, G, …] → [N, C, …]
func lastShuffle(l *Last) *ir.Value {
	turn := l.In[0].Def
	if !turn.Is("Transpose") || !turn.In[0].Def.Is("Reshape") {
		return nil
	}
	split := turn.In[0].Def
	x, groups := split.In[0], Shape(turn.In[0])
	rank := len(Shape(x))
	perm, err := permOf(turn, len(groups))
	if err != nil || rank < 3 || len(groups) != rank+1 || !ir.SameShape(Shape(x), Shape(l.Res(0))) || !ir.SameShape(Shape(x)[2:], groups[3:]) ||
		!groups[0].Equal(Shape(x)[0]) {
		return nil
	}
	for i, p := range perm {
		if want := []int{0, 2, 1}; i < 3 && p != want[i] || i >= 3 && p != i {
			return nil
		}
	}
	inner, ok := ir.Static(append(slices.Clone(groups[3:]), groups[1], groups[2]))
	if !ok {
		return nil
	}
	y := l.Of(x)
	if y == nil {
		return nil
	}
	y = l.B.Op("Reshape", y, l.B.Ints(append([]int{-1}, inner...)...))
	swap := make([]int64, rank+1)
	for i := range swap {
		swap[i] = int64(i)
	}
	swap[rank-1], swap[rank] = swap[rank], swap[rank-1]
	attrs := ir.Attrs{}
	attrs.Set("perm", swap)
	y = l.B.OpA("Transpose", attrs, y)
	return l.B.Op("Reshape", y, l.B.Ints(append(append([]int{-1}, inner[:rank-2]...), inner[rank-2]*inner[rank-1])...))
}
