package cpu

import (
	"math"
	"slices"
	"testing"
)

// TestReduce compares reductions along every set of axes with the definition.
func TestReduce(t *testing.T) {
	for _, c := range []struct {
		name  string
		f     func(dst, x []float64, shape, to []int)
		start float64
		step  func(s, v float64) float64
		end   func(s float64, n int) float64
	}{
		{"ReduceSum", ReduceSum[float64], 0, func(s, v float64) float64 { return s + v }, nil},
		{"ReduceMean", ReduceMean[float64], 0, func(s, v float64) float64 { return s + v }, func(s float64, n int) float64 { return s / float64(max(n, 1)) }},
		{"ReduceProd", ReduceProd[float64], 1, func(s, v float64) float64 { return s * v }, nil},
		{"ReduceMaximum", ReduceMaximum[float64], -inf, func(s, v float64) float64 { return max(s, v) }, nil},
		{"ReduceMinimum", ReduceMinimum[float64], inf, func(s, v float64) float64 { return min(s, v) }, nil},
		{"ReduceL1", ReduceL1[float64], 0, func(s, v float64) float64 { return s + math.Abs(v) }, nil},
		{"ReduceL2", ReduceL2[float64], 0, func(s, v float64) float64 { return s + v*v }, func(s float64, _ int) float64 { return math.Sqrt(s) }},
		{"ReduceSumSquare", ReduceSumSquare[float64], 0, func(s, v float64) float64 { return s + v*v }, nil},
		{"ReduceLogSum", ReduceLogSum[float64], 0, func(s, v float64) float64 { return s + v }, func(s float64, _ int) float64 { return math.Log(s) }},
		{"ReduceLogSumExp", func(dst, x []float64, shape, to []int) {
			ReduceLogSumExp(dst, x, make([]float64, len(dst)), shape, to)
		}, 0, func(s, v float64) float64 { return s + math.Exp(v) }, func(s float64, _ int) float64 { return math.Log(s) }},
	} {
		for _, shape := range [][]int{{}, {5}, {2, 3, 4}, {3, 1, 2, 4}, {2, 0, 3}, {1, 70, 2}} {
			x := gaussians[float64](sizeOf(shape))
			for mask := range 1 << len(shape) {
				to, counts, sums := reduceNaively(x, shape, mask, c.start, c.step)
				if c.end != nil {
					for i := range sums {
						sums[i] = c.end(sums[i], counts[i])
					}
				}
				got := make([]float64, len(sums))
				c.f(got, x, shape, to)
				agree(t, c.name, got, sums, 1e-12)
			}
		}
	}
}

// reduceNaively reduces along the axes whose bit is set.
func reduceNaively(x []float64, shape []int, mask int, start float64, step func(s, v float64) float64) (to, counts []int, sums []float64) {
	for i, n := range shape {
		if mask&(1<<i) != 0 {
			n = 1
		}
		to = append(to, n)
	}
	sums, counts = make([]float64, sizeOf(to)), make([]int, sizeOf(to))
	for i := range sums {
		sums[i] = start
	}
	for i, v := range x {
		at, stride := 0, 1
		for axis, rest := len(shape)-1, i; axis >= 0; axis-- {
			if to[axis] != 1 {
				at += rest % shape[axis] * stride
			}
			rest /= shape[axis]
			stride *= to[axis]
		}
		sums[at] = step(sums[at], v)
		counts[at]++
	}
	return to, counts, sums
}

// TestReduceEdges checks reductions of infinities and large numbers.
func TestReduceEdges(t *testing.T) {
	got := make([]float64, 3)
	x := []float64{-inf, -inf, 1000, 1000, inf, 1}
	ReduceLogSumExp(got, x, make([]float64, 3), []int{3, 2}, []int{3, 1})
	agree(t, "ReduceLogSumExp", got, []float64{-inf, 1000 + math.Ln2, inf}, 1e-12)
	i8 := []int8{0, 0}
	ReduceMaximum(i8, nil, []int{2, 0}, []int{2, 1})
	u16 := []uint16{0}
	ReduceMinimum(u16, nil, []int{0}, []int{1})
	if i8[1] != math.MinInt8 || u16[0] != math.MaxUint16 {
		t.Errorf("of nothing: maximum %d, minimum %d", i8[1], u16[0])
	}
	b := []bool{false, true}
	ReduceAll(b[:1], []bool{true, false}, []int{2}, []int{1})
	ReduceAny(b[1:], nil, []int{0}, []int{1})
	if b[0] || b[1] {
		t.Errorf("got %v, want neither", b)
	}
}

// TestReduceDim checks the sizes of the result for several axes.
func TestReduceDim(t *testing.T) {
	shape := []int{4, 5, 6}
	for _, c := range []struct {
		axes []int64
		noop bool
		want [3]int
		kept int // axis 0 of what is kept
	}{
		{[]int64{-2}, false, [3]int{4, 1, 6}, 4},
		{[]int64{0, 2}, false, [3]int{1, 5, 1}, 5},
		{nil, true, shapeArray(shape), 4},
	} {
		for i, want := range c.want {
			if got := ReduceDim(c.axes, shape, c.noop, i); got != want {
				t.Errorf("axes %d: axis %d becomes %d, want %d", c.axes, i, got, want)
			}
		}
		if got := ReduceKept(c.axes, shape, c.noop, 0); got != c.kept {
			t.Errorf("axes %d: keeps %d, want %d", c.axes, got, c.kept)
		}
	}
	for _, axes := range [][]int64{{3}, {-4}, {math.MinInt64}, {1, 1}, {0, -3}} {
		if err := failure(func() { ReduceDim(axes, shape, false, 0) }); err == nil {
			t.Errorf("axis %d is none, or given twice, and nothing fails", axes)
		}
	}
	if err := failure(func() { ReduceKept([]int64{0, 0}, shape[:1], false, 0) }); err == nil {
		t.Error("no axis is left, and nothing fails")
	}
}

func shapeArray(s []int) (a [3]int) {
	copy(a[:], s)
	return a
}

// TestArgMax checks the index of the largest and the smallest element, with ties and NaN.
func TestArgMax(t *testing.T) {
	x := []float64{1, 3, 3, 2, nan, 1, nan, 0} // [2, 4]
	for _, c := range []struct {
		f    func(dst []int64, x []float64, outer, n, inner int, last bool)
		last bool
		want [2]int64
	}{
		{ArgMax[float64], false, [2]int64{1, 0}},
		{ArgMax[float64], true, [2]int64{2, 2}},
		{ArgMin[float64], false, [2]int64{0, 0}},
		{ArgMin[float64], true, [2]int64{0, 2}},
	} {
		var got [2]int64
		c.f(got[:], x, 2, 4, 1, c.last)
		if got != c.want {
			t.Errorf("last %v: got %d, want %d", c.last, got, c.want)
		}
	}
	var down [4]int64
	ArgMax(down[:], []int32{1, 5, 2, 6, 3, 4, 2, 7}, 1, 2, 4, false)
	if down != [4]int64{1, 0, 0, 1} {
		t.Errorf("along the first axis: got %d", down)
	}
}

// TestCumSum checks exclusive and reverse sums along each axis.
func TestCumSum(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5, 6} // [2, 3]
	for _, c := range []struct {
		axis               int64
		exclusive, reverse bool
		want               []float64
	}{
		{1, false, false, []float64{1, 3, 6, 4, 9, 15}},
		{-1, true, false, []float64{0, 1, 3, 0, 4, 9}},
		{1, false, true, []float64{6, 5, 3, 15, 11, 6}},
		{1, true, true, []float64{5, 3, 0, 11, 6, 0}},
		{0, false, false, []float64{1, 2, 3, 5, 7, 9}},
	} {
		got := make([]float64, len(x))
		CumSum(got, x, []int64{c.axis}, []int{2, 3}, c.exclusive, c.reverse)
		agree(t, "CumSum", got, c.want, 0)
	}
	got := make([]float64, len(x))
	CumProd(got, x, []int32{1}, []int{2, 3}, true, false)
	agree(t, "CumProd", got, []float64{1, 1, 2, 1, 4, 20}, 0)
	if err := failure(func() { CumSum(got, x, []int32{2}, []int{2, 3}, false, false) }); err == nil {
		t.Error("axis 2 is none, and nothing fails")
	}
}

// TestColumnSumsTurns: sums of columns are divided by rows, so that more threads than panels of columns take part, and the sums are
// those of any other division.
func TestColumnSumsTurns(t *testing.T) {
	const rows, n = 3*columnTurn + 21, 5
	x := make([]float32, rows*n)
	want := make([]float64, n)
	for i := range x {
		x[i] = float32(i%23) - 9
		want[i%n] += float64(x[i])
	}
	got := make([]float32, n)
	columnSums(got, x, n, vecSumColumns)
	for j, w := range want {
		if float64(got[j]) != w {
			t.Errorf("column %d: %v, want %v", j, got[j], w)
		}
	}
	task := columnTask{x: x, n: n, sums: make([]float32, 4*n), add: vecSumColumns}
	task.run(3)
	if first := row(task.sums, 0, n); !slices.Equal(first, make([]float32, n)) {
		t.Errorf("turn 3 wrote to the sums of turn 0: %v", first)
	}
}
