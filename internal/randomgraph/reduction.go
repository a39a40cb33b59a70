package randomgraph

import "github.com/bbgen/bbgen/ir"

// reduction adds an operator that reduces an axis or walks along it.
func (d *drawer) reduction() {
	x := d.any()
	if x == nil || len(x.Type.Shape) == 0 {
		panic(misfit{})
	}
	rank := len(x.Type.Shape)
	axis := d.rng.IntN(2*rank) - rank
	switch d.rng.IntN(6) {
	case 0:
		d.opA(one(d, "ArgMax", "ArgMin"), attrs("axis", axis, "keepdims", d.rng.IntN(2), "select_last_index", d.rng.IntN(2)), x)
	case 1:
		d.opA("CumSum", attrs("exclusive", d.rng.IntN(2), "reverse", d.rng.IntN(2)), x, d.ints(axis))
	case 2:
		n := sizes(x)[(axis+rank)%rank]
		d.opN("", "TopK", 2, attrs("axis", axis, "largest", d.rng.IntN(2)), x, d.ints(1+d.rng.IntN(need(n))))
	default:
		axes := []int{axis}
		if d.chance(3) {
			axes = append(axes, (axis+rank+1)%rank)
		}
		in := []*ir.Value{x, d.ints(axes...)}
		a := attrs("keepdims", d.rng.IntN(2))
		if d.chance(6) {
			in, a = in[:1], append(a, ir.Attr{Name: "noop_with_empty_axes", Value: int64(d.rng.IntN(2))})
		}
		d.opA(one(d, "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"), a, in...)
	}
}
