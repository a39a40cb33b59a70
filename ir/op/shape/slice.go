package shape

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [Slice].
const (
	sliceData = iota
	sliceStarts
	sliceEnds
	sliceAxes
	sliceSteps
)

// Slice returns every step-th element from start to end along some axes. The range is clamped, and a negative
// step goes backward.
//
// https://onnx.ai/onnx/operators/onnx__Slice.html
var Slice = &op.Op{
	Name:  "Slice",
	Since: []int{1, 10, 11, 13},
	Attrs: []op.Attr{
		{Name: "axes", Kind: op.Ints, Until: 10},
		{Name: "ends", Kind: op.Ints, Required: true, Until: 10},
		{Name: "starts", Kind: op.Ints, Required: true, Until: 10},
	},
	Inputs: []op.Port{
		sliceData:   {Name: "data", Types: elem.Any},
		sliceStarts: {Name: "starts", Types: elem.Indices, Since: 10},
		sliceEnds:   {Name: "ends", Like: "starts", Since: 10},
		sliceAxes:   {Name: "axes", Like: "starts", Optional: true, Since: 10},
		sliceSteps:  {Name: "steps", Like: "starts", Optional: true, Since: 10},
	},
	Outputs: []op.Port{{Name: "output", Like: "data"}},
	Infer:   inferSlice,
	Picks:   true,
	Upgrade: upgradeSlice,
	Adapt:   adaptSlice,
	Grad:    sliceGrad,
	Lower:   lowerSlice,
	Bytes:   pickedBytes,
	Last:    &op.LastForm{Build: lastSlice},
}

func upgradeSlice(b *ir.Builder, n *ir.Node) error {
	if n.Version < 10 {
		op.AttrToInput(b, n, "starts", 1)
		op.AttrToInput(b, n, "ends", 2)
		op.AttrToInput(b, n, "axes", 3)
	}
	return nil
}

// slicing holds the operands of a Slice, one element for each of its axes.
type slicing struct{ starts, ends, axes, steps []ir.Dim }

// slicingOf reads the operands. Inference knows their content or has made symbols for it.
func slicingOf(n *ir.Node) slicing {
	var s slicing
	s.starts, _ = op.Content(n.Arg(sliceStarts))
	s.ends, _ = op.Content(n.Arg(sliceEnds))
	s.axes, _ = op.Content(n.Arg(sliceAxes))
	s.steps, _ = op.Content(n.Arg(sliceSteps))
	if n.Arg(sliceAxes) == nil {
		s.axes = make([]ir.Dim, len(s.starts))
		for i := range s.axes {
			s.axes[i] = ir.C(i)
		}
	}
	if n.Arg(sliceSteps) == nil {
		s.steps = slices.Repeat(ir.Cs(1), len(s.starts))
	}
	return s
}

// cut is the range of a Slice along one axis.
type cut struct{ start, step, size ir.Dim }

func inferSlice(c *op.Infer) error {
	x, err := c.Tensor(sliceData)
	if err != nil {
		return err
	}
	for i := 1; i < len(c.In); i++ {
		if c.In[i] == nil {
			continue
		}
		if _, err := c.Read(i); err != nil {
			return err
		}
	}
	s := slicingOf(c.Node)
	if n := len(s.starts); len(s.ends) != n || len(s.axes) != n || len(s.steps) != n {
		return fmt.Errorf("%d starts, %d ends, %d axes and %d steps, want equally many", n, len(s.ends), len(s.axes), len(s.steps))
	}
	if err := s.check(len(x.Shape)); err != nil {
		return err
	}
	shape := make([]ir.Dim, len(x.Shape))
	for axis, n := range x.Shape {
		cut, ok := s.along(axis, len(x.Shape), n)
		if !ok || c.Module.FromData(cut.size) || c.Module.FromData(cut.start) {
			// The result of along is invalid for elements that may be negative.
			cut.size = c.Fresh("dim")
			c.Fresh("start")
			c.Fresh("step")
		}
		shape[axis] = cut.size
	}
	c.OutTensor(0, x.Elem, shape...)
	knowSlice(c, s)
	return nil
}

// check looks at the axes and steps that are constant.
func (s slicing) check(rank int) error {
	axes, ok := ir.Static(s.axes)
	if ok {
		if _, err := op.Axes(axes, rank); err != nil {
			return err
		}
	}
	for _, step := range s.steps {
		if step.Is(0) {
			return fmt.Errorf("step is 0")
		}
	}
	return nil
}

func knowSlice(c *op.Infer, s slicing) {
	elems, ok := c.Content(sliceData)
	if !ok || len(c.Type(sliceData).Shape) != 1 {
		return
	}
	cut, ok := s.along(0, 1, ir.C(len(elems)))
	plan, static := ir.Static([]ir.Dim{cut.start, cut.step, cut.size})
	if !ok || !static {
		return
	}
	out := make([]ir.Dim, plan[2])
	for i := range out {
		out[i] = elems[plan[0]+i*plan[1]]
	}
	c.Know(0, out)
}

// along returns the range on an axis of n elements. It is not ok if that is known only at run time.
func (s slicing) along(axis, rank int, n ir.Dim) (cut, bool) {
	axes, ok := ir.Static(s.axes)
	if !ok {
		return cut{}, false
	}
	k := slices.IndexFunc(axes, func(a int) bool { return a == axis || a == axis-rank })
	if k < 0 {
		return cut{ir.C(0), ir.C(1), n}, true
	}
	step, ok := s.steps[k].Const()
	if !ok {
		return cut{}, false
	}
	first, lo, hi := ir.C(0), ir.C(0), n // the lowest start, the lowest end, the highest of both
	if step < 0 {
		hi = n.Sub(ir.C(1))
		first, lo = op.AtMost(ir.C(0), hi), ir.C(-1)
	}
	start, ok1 := clampIndex(s.starts[k], n, first, hi)
	end, ok2 := clampIndex(s.ends[k], n, lo, hi)
	if !ok1 || !ok2 {
		return cut{}, false
	}
	size := end.Sub(start)
	if step < 0 {
		size = start.Sub(end)
	}
	if step > op.FarAway || step < -op.FarAway { // selects at most one element
		return cut{start, ir.C(1), op.AtLeast(op.AtMost(size, ir.C(1)), ir.C(0))}, true
	}
	by := ir.C(max(step, -step))
	return cut{start, ir.C(step), op.AtLeast(size, ir.C(0)).CeilDiv(by)}, true
}

// clampIndex brings an index into lo ≤ i ≤ hi, where a negative one counts
// from the end of n; it is not ok if its sign is not known.
func clampIndex(i, n, lo, hi ir.Dim) (ir.Dim, bool) {
	c, ok := i.Const()
	switch {
	case ok && c > op.FarAway:
		return hi, true
	case ok && c < -op.FarAway:
		return lo, true
	case ok && c < 0 && n.Add(i).Equal(hi):
		return hi, true
	case ok && c < 0:
		return op.AtLeast(n.Add(i), lo), true
	case ok || op.NonNegative(i):
		return op.AtMost(i, hi), true
	}
	return i, false
}

func lowerSlice(l *op.Lowering) error {
	x, y := l.In[sliceData], l.Out[0]
	s, rank := slicingOf(l.Node), len(op.Shape(x))
	start, step := make([]ir.Dim, rank), make([]ir.Dim, rank)
	k := 0
	for axis, n := range op.Shape(x) {
		if l.IsSym(op.Shape(y)[axis], k) {
			l.Count(k, "SliceSize", s.starts, s.ends, s.axes, s.steps, rank, axis, n)
			l.Count(k+1, "SliceStart", s.starts, s.axes, s.steps, rank, axis, n)
			l.Count(k+2, "SliceStep", s.axes, s.steps, rank, axis)
			start[axis], step[axis] = ir.Sym(l.Syms[k+1]), ir.Sym(l.Syms[k+2])
			k += 3
			continue
		}
		cut, ok := s.along(axis, rank, n)
		if !ok {
			return fmt.Errorf("axis %d is cut at places that are not known", axis)
		}
		start[axis], step[axis] = cut.start, cut.step
	}
	lowerCut(l, y, x, start, step)
	return nil
}

// lowerCut lowers to a copy of rows if a single axis is sliced and its elements are consecutive.
func lowerCut(l *op.Lowering, y, x *ir.Value, start, step []ir.Dim) {
	axis, cuts := 0, 0
	for i, n := range op.Shape(x) {
		if !n.Equal(op.Shape(y)[i]) || !start[i].Is(0) || !step[i].Is(1) {
			axis = i
			cuts++
		}
	}
	switch {
	case cuts == 0:
		l.Call("Copy", y, x)
	case cuts == 1 && step[axis].Is(1):
		inner := op.Inner(op.Shape(x), axis)
		n, cols := op.Shape(y)[axis].Mul(inner), op.Shape(x)[axis].Mul(inner)
		l.Call("CopyRows", y, x, op.Outer(op.Shape(x), axis), n, n, 0, cols, start[axis].Mul(inner))
	default:
		l.Call("Slice", y, x, op.Shape(x), op.Shape(y), start, step)
	}
}

// dx = dy at its place among zeros
func sliceGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{op.OwnNode(b, "SliceGrad", nil, append([]*ir.Value{dy[0]}, n.In...)...)}
}

// lastSlice converts a Slice: the axes have other numbers.
func lastSlice(l *op.Last) *ir.Value {
	rank := len(op.Shape(l.In[sliceData]))
	axes, ok := ir.Static(slicingOf(l.Node).axes)
	x := l.Of(l.In[sliceData])
	if x == nil || !ok {
		return nil
	}
	to := make([]int, len(axes))
	for i, a := range axes {
		a, err := op.Axis(a, rank)
		if err != nil {
			return nil
		}
		to[i] = op.LastAxis(a, rank)
	}
	in := []*ir.Value{x, l.In[sliceStarts], l.In[sliceEnds], l.B.Ints(to...)}
	if l.Arg(sliceSteps) != nil {
		in = append(in, l.In[sliceSteps])
	}
	return l.B.Op("Slice", in...)
}
