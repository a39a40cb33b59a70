package pass

import (
	"math"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// normalization recognizes d/√(mean(d²)+eps) along the last axes. It is a layer normalization if d is the
// difference of x from its mean, and a root mean square normalization otherwise. The scale that follows is
// left to [normScale].
func normalization(f *fuser, n *ir.Node) *ir.Value {
	for i, d := range n.In {
		if i == 1 && n.Is("Div") {
			break
		}
		a := f.rooted(n, n.In[1-i])
		if a == nil {
			continue
		}
		eps, m, ok := withConst(a)
		if !ok || eps < 0 {
			continue
		}
		mean := f.sole(m, "ReduceMean")
		axis, ok := lastAxes(mean)
		if !ok {
			continue
		}
		reads := 2 // number of uses of d
		switch sq := f.sole(mean.In[op.X], "Pow", "Mul"); {
		case sq.Is("Pow") && sq.In[op.A] == d && isConst(sq.In[op.B], 2):
		case sq.Is("Mul") && sq.In[op.A] == d && sq.In[op.B] == d:
			reads = 3
		default:
			continue
		}
		return f.norm(d, axis, eps, reads)
	}
	return nil
}

// rooted returns the sum under the root, if v is 1/√sum and a factor of n, or √sum and its divisor.
func (f *fuser) rooted(n *ir.Node, v *ir.Value) *ir.Node {
	power := 0.5
	if n.Is("Mul") {
		power = -0.5
	}
	if d := f.sole(v, "Pow"); d != nil && isConst(d.In[op.B], power) {
		return f.sole(d.In[op.A], "Add")
	}
	if n.Is("Mul") {
		switch d := f.sole(v, "Reciprocal", "Div"); {
		case d.Is("Reciprocal"):
			v = d.In[op.X]
		case d.Is("Div") && isConst(d.In[op.A], 1):
			v = d.In[op.B]
		default:
			return nil
		}
	}
	if d := f.sole(v, "Sqrt"); d != nil {
		return f.sole(d.In[op.X], "Add")
	}
	return nil
}

// lastAxes returns the first axis of a reduction, if it keeps its axes and they are the last ones.
func lastAxes(n *ir.Node) (axis int, ok bool) {
	if n == nil || n.Int("keepdims") == 0 || n.Arg(inAxes) == nil {
		return 0, false
	}
	axes, rank := ints(n.In[inAxes]), len(n.In[op.X].Type.Shape)
	if len(axes) == 0 {
		return 0, false
	}
	for i, a := range axes {
		if a < 0 {
			axes[i] = a + rank
		}
	}
	slices.Sort(axes)
	for i, a := range axes {
		if a != rank-len(axes)+i {
			return 0, false
		}
	}
	return axes[0], true
}

// ints returns the content of a constant vector of integers.
func ints(v *ir.Value) []int {
	if !v.IsConst() {
		return nil
	}
	d, _ := v.Const.Data.([]int64)
	out := make([]int, len(d))
	for i, x := range d {
		out[i] = ir.Int(x)
	}
	return out
}

// norm builds the normalization of d with a scale of ones. The pattern reads d the given number of times.
func (f *fuser) norm(d *ir.Value, axis int, eps float64, reads int) *ir.Value {
	row, ok := ir.Static(d.Type.Shape[axis:])
	if !ok {
		return nil
	}
	name, x := "RMSNormalization", d
	if sub := f.def(d, "Sub"); sub != nil && f.uses[d] == reads {
		mean := f.def(sub.In[op.B], "ReduceMean")
		if a, ok := lastAxes(mean); ok && a == axis && mean.In[op.X] == sub.In[op.A] {
			name, x = "LayerNormalization", sub.In[op.A]
		}
	}
	size := 1
	for _, k := range row {
		size *= k
	}
	ones := f.constant(f.b.Prefix+"scale", x, slices.Repeat([]float64{1}, size), row...)
	return f.b.OpA(name, op.Attrs("axis", axis-len(d.Type.Shape), "epsilon", eps), x, ones)
}

// normRules recognize normalizations without a gradient.
var normRules = rules{":Div": {l2Quotient}}

// l2Quotient recognizes x/max(‖x‖, least) along the last axis for a constant least, which is a normal number.
func l2Quotient(f *fuser, n *ir.Node) *ir.Value {
	x := n.In[op.A]
	v, least, ok := f.atLeast(n.In[op.B])
	norm := f.sole(v, "ReduceL2")
	if !ok || norm == nil || norm.In[op.X] != x {
		return nil
	}
	axis, ok := lastAxes(norm)
	if !ok || axis != len(x.Type.Shape)-1 {
		return nil
	}
	return op.OwnNode(f.b, "L2Normalization", op.Attrs("least", least), x)
}

// atLeast returns x and c if v is max(x, c), and c and 1/c are positive float32 of full precision.
func (f *fuser) atLeast(v *ir.Value) (x *ir.Value, c float64, ok bool) {
	d := f.sole(v, "Clip", "Max")
	switch {
	case d == nil:
		return nil, 0, false
	case d.Is("Max") && len(d.In) == 2:
		c, x, ok = withConst(d)
	case d.Is("Clip"):
		lo, hi, constant := bounds(d)
		x, c, ok = d.In[op.X], lo, constant && math.IsInf(hi, 1)
	}
	return x, c, ok && c >= 0x1p-126 && c <= 0x1p126
}

// normScale makes a factor after a normalization its scale.
func normScale(f *fuser, n *ir.Node) *ir.Value {
	for i, v := range n.In {
		d := f.sole(v, "LayerNormalization", "RMSNormalization")
		if d == nil || d.Arg(inBias) != nil || !allOnes(d.In[inNormScale]) || !ir.SameShape(n.In[1-i].Type.Shape, d.In[inNormScale].Type.Shape) {
			continue
		}
		return f.b.OpA(d.Op, d.Attrs, d.In[op.X], n.In[1-i])
	}
	return nil
}

// normShift makes a value added to a layer normalization its bias.
func normShift(f *fuser, n *ir.Node) *ir.Value {
	for i, v := range n.In {
		d := f.sole(v, "LayerNormalization")
		if d == nil || d.Arg(inBias) != nil || !ir.SameShape(n.In[1-i].Type.Shape, d.In[inNormScale].Type.Shape) {
			continue
		}
		return f.b.OpA(d.Op, d.Attrs, d.In[op.X], d.In[inNormScale], n.In[1-i])
	}
	return nil
}

// allOnes reports whether v is a constant of ones.
func allOnes(v *ir.Value) bool {
	x := numbers(v)
	return x != nil && !slices.ContainsFunc(x, func(x float64) bool { return x != 1 })
}

// softmaxQuotient recognizes e/Σe for e = exp(x - max(x)).
func softmaxQuotient(f *fuser, n *ir.Node) *ir.Value {
	e := f.def(n.In[op.A], "Exp")
	sum := f.sole(n.In[op.B], "ReduceSum")
	if e == nil || sum == nil || sum.In[op.X] != n.In[op.A] || f.uses[n.In[op.A]] != 2 {
		return nil
	}
	sub := f.sole(e.In[op.X], "Sub")
	if sub == nil {
		return nil
	}
	top := f.sole(sub.In[op.B], "ReduceMax")
	if top == nil || top.In[op.X] != sub.In[op.A] {
		return nil
	}
	axis, ok := oneAxis(sum)
	if a, same := oneAxis(top); !ok || !same || a != axis {
		return nil
	}
	return f.b.OpA("Softmax", op.Attrs("axis", axis), sub.In[op.A])
}

// oneAxis returns the axis of a reduction that has one axis and keeps it.
func oneAxis(n *ir.Node) (axis int, ok bool) {
	axes := ints(n.Arg(inAxes))
	if len(axes) != 1 || n.Int("keepdims") == 0 {
		return 0, false
	}
	if axis = axes[0]; axis < 0 {
		axis += len(n.In[op.X].Type.Shape)
	}
	return axis, true
}

// logSoftmax recognizes log(softmax(x)).
func logSoftmax(f *fuser, n *ir.Node) *ir.Value {
	if d := f.sole(n.In[op.X], "Softmax"); d != nil {
		return f.b.OpA("LogSoftmax", d.Attrs, d.In[op.X])
	}
	return nil
}
