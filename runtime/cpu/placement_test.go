package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// eachIndex calls f with each index of a tensor in order.
func eachIndex(shape []int, f func(at int, index []int)) {
	index := make([]int, len(shape))
	for at := range sizeOf(shape) {
		for k, rest := len(shape)-1, at; k >= 0; k-- {
			index[k] = rest % shape[k]
			rest /= shape[k]
		}
		f(at, index)
	}
}

// placeIn returns the place of an index in a tensor. The steps along axes of one element are 0, so that they are broadcast.
func placeIn(shape, index []int) int {
	at := 0
	for k, n := range shape {
		at *= n
		if i := index[k+len(index)-len(shape)]; n > 1 {
			at += i
		}
	}
	return at
}

// randomShape returns up to four axes, some of which have one element or none.
func randomShape(rng *rand.Rand, least int) []int {
	shape := make([]int, 1+rng.IntN(4))
	for k := range shape {
		shape[k] = least + rng.IntN(5)
	}
	return shape
}

// TestPlacementRandom compares kernels that move elements with their definition by indices, for random shapes.
func TestPlacementRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		testSliceRandom(t, rng)
		testPadRandom(t, rng)
		testTileExpandRandom(t, rng)
		testTriluRandom(t, rng)
	}
}

func testSliceRandom(t *testing.T, rng *rand.Rand) {
	shape := randomShape(rng, 1)
	x, rank := counted(sizeOf(shape)), len(shape)
	starts, ends, axes, steps := make([]int, rank), make([]int, rank), rng.Perm(rank), make([]int, rank)
	picked, size := make([][]int, rank), make([]int, rank) // the indices along each axis
	for k, axis := range axes {
		n := shape[axis]
		starts[k], ends[k], steps[k] = rng.IntN(3*n)-n, rng.IntN(3*n)-2*n, 1+rng.IntN(3)
		if rng.IntN(2) == 0 {
			steps[k] = -steps[k]
		}
		picked[axis] = pythonSlice(n, starts[k], ends[k], steps[k])
		if axes[k] = axis; rng.IntN(2) == 0 {
			axes[k] -= rank
		}
	}
	from, by := make([]int, rank), make([]int, rank)
	for axis, n := range shape {
		from[axis], by[axis] = SliceStart(starts, axes, steps, rank, axis, n), SliceStep(axes, steps, rank, axis)
		if size[axis] = SliceSize(starts, ends, axes, steps, rank, axis, n); size[axis] != len(picked[axis]) {
			t.Fatalf("axis of %d from %v to %v by %v: %d elements, want %d", n, starts, ends, steps, size[axis], len(picked[axis]))
		}
	}
	got, want := make([]int32, sizeOf(size)), make([]int32, sizeOf(size))
	eachIndex(size, func(at int, index []int) {
		i := make([]int, rank)
		for k := range i {
			i[k] = picked[k][index[k]]
		}
		want[at] = x[placeIn(shape, i)]
	})
	Slice(got, x, shape, size, from, by)
	equal(t, fmt.Sprint("Slice ", shape, starts, ends, axes, steps), got, want...)
}

// pythonSlice is list(range(n))[start:end:step].
func pythonSlice(n, start, end, step int) (picked []int) {
	bound := func(i int) int {
		if i < 0 {
			i += n
		}
		if step < 0 {
			return min(max(i, -1), n-1)
		}
		return min(max(i, 0), n)
	}
	for i, e := bound(start), bound(end); step > 0 && i < e || step < 0 && i > e; i += step {
		picked = append(picked, i)
	}
	return picked
}

func testPadRandom(t *testing.T, rng *rand.Rand) {
	shape, mode := randomShape(rng, 1), PadMode(rng.IntN(4))
	size, before := make([]int, len(shape)), make([]int, len(shape))
	for k, n := range shape {
		if rng.IntN(3) > 0 {
			before[k] = rng.IntN(2*n+1) - n/2
		}
		size[k] = max(n+before[k]+rng.IntN(n+2)-n/2, 0)
	}
	x := counted(sizeOf(shape))
	got, want := make([]int32, sizeOf(size)), make([]int32, sizeOf(size))
	eachIndex(size, func(at int, index []int) {
		i, inside := make([]int, len(shape)), true
		for k, n := range shape {
			i[k] = index[k] - before[k]
			inside = inside && i[k] >= 0 && i[k] < n
			switch mode {
			case PadEdge:
				i[k] = min(max(i[k], 0), n-1)
			case PadWrap:
				i[k] = ((i[k] % n) + n) % n
			case PadReflect: // step from element to element, and turn at the ends
				i[k] = walked(i[k], n)
			}
		}
		want[at] = -9
		if inside || mode != PadConstant {
			want[at] = x[placeIn(shape, i)]
		}
	})
	Pad(got, x, []int32{-9}, shape, size, before, mode)
	equal(t, fmt.Sprint("Pad ", shape, size, before, mode), got, want...)
}

// walked returns the element of n at which a walk of i steps from the first one ends, which turns at the ends.
func walked(i, n int) int {
	at, step := 0, 1
	if i < 0 {
		i = -i
	}
	for range i {
		if n > 1 && (at+step < 0 || at+step >= n) {
			step = -step
		}
		if n > 1 {
			at += step
		}
	}
	return at
}

func testTileExpandRandom(t *testing.T, rng *rand.Rand) {
	shape := randomShape(rng, 0)
	repeats, size := make([]int, len(shape)), make([]int, len(shape))
	ones, wide := make([]int, len(shape)), make([]int, len(shape))
	for k, n := range shape {
		repeats[k] = rng.IntN(4)
		size[k], ones[k], wide[k] = n*repeats[k], 1, n
		if rng.IntN(2) == 0 {
			ones[k] = n
		}
	}
	x := counted(sizeOf(shape))
	got, want := make([]int32, sizeOf(size)), make([]int32, sizeOf(size))
	eachIndex(size, func(at int, index []int) {
		i := make([]int, len(shape))
		for k, n := range shape {
			i[k] = index[k] % n
		}
		want[at] = x[placeIn(shape, i)]
	})
	Tile(got, x, shape, repeats)
	equal(t, fmt.Sprint("Tile ", shape, repeats), got, want...)

	old := ones[rng.IntN(len(ones)):] // axes in front may be missing
	x, wide = counted(sizeOf(old)), append([]int{1 + rng.IntN(2)}, wide...)
	got, want = make([]int32, sizeOf(wide)), make([]int32, sizeOf(wide))
	eachIndex(wide, func(at int, index []int) { want[at] = x[placeIn(old, index)] })
	Expand(got, x, wide, old)
	equal(t, fmt.Sprint("Expand ", old, wide), got, want...)
}

func testTriluRandom(t *testing.T, rng *rand.Rand) {
	rows, cols, upper := rng.IntN(6), rng.IntN(6), rng.IntN(2) == 0
	k := rng.IntN(13) - 6
	x := slicesOf(2*rows*cols, "x")
	got, want := make([]string, len(x)), make([]string, len(x))
	eye, diagonal := make([]int16, rows*cols), make([]int16, rows*cols)
	eachIndex([]int{2, rows, cols}, func(at int, index []int) {
		d := index[2] - index[1] - k // from the diagonal
		if upper && d >= 0 || !upper && d <= 0 {
			want[at] = "x"
		}
		if d == 0 {
			diagonal[at%(rows*cols)] = 1
		}
	})
	Trilu(got, x, []int64{int64(k)}, rows, cols, upper)
	equal(t, fmt.Sprint("Trilu ", rows, cols, k, upper), got, want...)
	EyeLike(eye, cols, k)
	equal(t, fmt.Sprint("EyeLike ", rows, cols, k), eye, diagonal...)
}

// TestGatherScatterRandom compares both with the definition by indices, and scatters what was gathered back to its place.
func TestGatherScatterRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	reductions := []func(a, b int32) int32{
		func(a, b int32) int32 { return a + b }, func(a, b int32) int32 { return a * b },
		func(a, b int32) int32 { return max(a, b) }, func(a, b int32) int32 { return min(a, b) },
	}
	for range 300 {
		shape := randomShape(rng, 1)
		axis, ishape := rng.IntN(len(shape)), make([]int, len(shape))
		for k, n := range shape {
			ishape[k] = rng.IntN(n + 1)
		}
		ishape[axis] = rng.IntN(2*shape[axis] + 1)
		x, index := counted(sizeOf(shape)), make([]int64, sizeOf(ishape))
		got, want, updates := make([]int32, len(index)), make([]int32, len(index)), make([]int32, len(index))
		how := Reduction(rng.IntN(4))
		sum, wantSum := make([]int32, len(x)), make([]int32, len(x))
		copy(sum, x)
		copy(wantSum, x)
		eachIndex(ishape, func(at int, i []int) {
			index[at] = int64(rng.IntN(2*shape[axis]) - shape[axis])
			updates[at] = int32(rng.IntN(5) - 2)
			j := append([]int(nil), i...)
			j[axis] = (int(index[at]) + shape[axis]) % shape[axis]
			p := placeIn(shape, j)
			want[at] = x[p]
			wantSum[p] = reductions[how](wantSum[p], updates[at])
		})
		what := fmt.Sprint(shape, ishape, axis)
		GatherElements(got, x, index, ishape, shape, axis)
		equal(t, "GatherElements "+what, got, want...)
		ScatterElementsReduce(sum, updates, index, ishape, shape, axis, how)
		equal(t, fmt.Sprint("ScatterElements ", how, what), sum, wantSum...)
		ScatterElements(x, got, index, ishape, shape, axis)
		equal(t, "scattered back "+what, x, counted(len(x))...)
	}
	f := []float64{nan, 1, -1}
	ScatterNDReduce(f, []float64{2, nan, inf}, []int32{0, 1, 2}, 3, 1, []int{3}, ReduceMax)
	if f[0] == f[0] || f[1] == f[1] || f[2] != inf {
		t.Errorf("maxima: got %v, want NaN, NaN, +Inf", f)
	}
}

// TestListPlacements checks kernels that place the elements of a list.
func TestListPlacements(t *testing.T) {
	where := make([]int64, 6)
	NonZero(where, []float64{0, 2, nan, 0, 0, -1}, []int{2, 3})
	equal(t, "NonZero", where, 0, 0, 1, 1, 2, 2)
	NonZero(where[:0], []bool{true}, nil)
	hot := make([]float32, 8)
	OneHot(hot, []float32{-1, 5}, []float32{1.9, -2, 2, -0.5}, 2, 2, 2)
	equal(t, "OneHot", hot, -1, 5, 5, -1, -1, 5, -1, -1)
	OneHot(hot[:4], []float32{0, 1}, []uint64{math.MaxUint64, 1}, 2, 2, 1) // 2⁶⁴-1 is not -1
	equal(t, "OneHot of uint64", hot[:4], 0, 0, 0, 1)
	OneHot(hot[:0], []float32{0, 1}, []float32{-0.5, 0, -1}, 3, 0, 1) // no row is hot
	OneHot(hot, []float32{0, 1}, []float64{nan, inf, -2.5, -3}, 4, 2, 1)
	equal(t, "OneHot of other floats", hot, 0, 0, 0, 0, 1, 0, 0, 0)
	x := counted(12)
	rows := slicesOf(8, int32(-1))
	CopyRows(rows, x, 2, 2, 4, 1, 6, 3)
	equal(t, "CopyRows", rows, -1, 3, 4, -1, -1, 9, 10, -1)
	CopyRows(rows, x, 2, 1, 4, 0, 6, 5)
	equal(t, "CopyRows of one column", rows, 5, 3, 4, -1, 11, 9, 10, -1)
	CopyRows(rows, x[:8], 2, 4, 4, 0, 4, 0)
	equal(t, "CopyRows of whole rows", rows, x[:8]...)
	CopyHead(rows[:2], x[5:])
	Copy(rows[2:4], x[9:11])
	equal(t, "CopyHead and Copy", rows[:4], 5, 6, 9, 10)
	bytes := make([]uint8, 3)
	Range(bytes, []uint8{250}, []uint8{3})
	equal(t, "Range", bytes, 250, 253, 0)
	halves := make([]float64, 4)
	Range(halves, []float64{1}, []float64{-0.5})
	equal(t, "Range of floats", halves, 1, 0.5, 0, -0.5)
	kept := make([]string, 2)
	Compress(kept, []string{"a", "b", "c", "d"}, []bool{true}, 2, 2, 1) // later columns have no condition
	equal(t, "Compress", kept, "a", "c")
	reversed := make([]int32, 12)
	ReverseSequence(reversed, x, []int64{3, 1}, 2, 3, 2, true)
	equal(t, "ReverseSequence", reversed, 8, 9, 2, 3, 4, 5, 6, 7, 0, 1, 10, 11)
}
