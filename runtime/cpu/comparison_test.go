package cpu

import (
	"cmp"
	"math"
	"slices"
	"testing"
)

// TestComparisons compares all pairs of ordered numbers of each type, each with an array and with one element that stands for all.
func TestComparisons(t *testing.T) {
	t.Run("int8", testComparisons[int8])
	t.Run("int16", testComparisons[int16])
	t.Run("int32", testComparisons[int32])
	t.Run("int64", testComparisons[int64])
	t.Run("uint8", testComparisons[uint8])
	t.Run("uint16", testComparisons[uint16])
	t.Run("uint32", testComparisons[uint32])
	t.Run("uint64", testComparisons[uint64])
}

// testComparisons derives each comparison from the order of numbers of any size.
func testComparisons[T Integer](t *testing.T) {
	comparePairs(t, edges[T](), func(a, b T) (less, equal bool) {
		c := bigOf(a).Cmp(bigOf(b))
		return c < 0, c == 0
	})
}

// TestFloatComparisons includes infinities, zeros of both signs, and NaN, which is neither less nor equal.
func TestFloatComparisons(t *testing.T) {
	x := []float64{-inf, -math.MaxFloat64, -1, -math.SmallestNonzeroFloat64, math.Copysign(0, -1), 0, math.SmallestNonzeroFloat64, 1, math.Nextafter(1, 2), inf, nan}
	order := func(a, b float64) (less, equal bool) {
		return cmp.Less(a, b) && a == a, cmp.Compare(a, b) == 0 && a == a
	}
	comparePairs(t, x, order)
	comparePairs(t, narrow32(x), func(a, b float32) (less, equal bool) { return order(float64(a), float64(b)) })
}

func comparePairs[T Number](t *testing.T, x []T, order func(a, b T) (less, equal bool)) {
	t.Helper()
	for _, k := range []struct {
		name string
		f    func(dst []bool, a, b []T)
		want func(a, b T) bool
	}{
		{"Equal", Equal[T], func(a, b T) bool { _, e := order(a, b); return e }},
		{"Less", Less[T], func(a, b T) bool { l, _ := order(a, b); return l }},
		{"LessOrEqual", LessOrEqual[T], func(a, b T) bool { l, e := order(a, b); return l || e }},
		{"Greater", Greater[T], func(a, b T) bool { l, _ := order(b, a); return l }},
		{"GreaterOrEqual", GreaterOrEqual[T], func(a, b T) bool { l, e := order(b, a); return l || e }},
	} {
		got := make([]bool, len(x))
		for _, b := range x {
			right, left := make([]bool, len(x)), make([]bool, len(x))
			for i, a := range x {
				right[i], left[i] = k.want(a, b), k.want(b, a)
			}
			k.f(got, x, slicesOf(len(x), b))
			equal(t, k.name, got, right...)
			k.f(got, x, []T{b})
			equal(t, k.name+" with one element on the right", got, right...)
			k.f(got, []T{b}, x)
			equal(t, k.name+" with one element on the left", got, left...)
		}
		k.f(nil, nil, nil)
	}
}

// TestLogic checks the tables of values, in arrays and with one element that stands for all.
func TestLogic(t *testing.T) {
	for _, k := range []struct {
		name  string
		f     func(dst, a, b []bool)
		table [4]bool // of (false, false), (true, false), (false, true), (true, true)
	}{
		{"And", And, [4]bool{false, false, false, true}},
		{"Or", Or, [4]bool{false, true, true, true}},
		{"Xor", Xor, [4]bool{false, true, true, false}},
	} {
		for _, n := range []int{0, 2, 7, 9, 33} {
			a, b, want := make([]bool, n), make([]bool, n), make([]bool, n)
			for i := range a {
				a[i], b[i], want[i] = i&1 != 0, i&2 != 0, k.table[i%4]
			}
			got := make([]bool, n)
			k.f(got, a, b)
			equal(t, k.name, got, want...)
			for which := range 2 {
				s := which == 1
				for i := range a {
					want[i] = k.table[i%2+2*which]
				}
				k.f(got, a, []bool{s})
				equal(t, k.name+" with one element on the right", got, want...)
				k.f(got, []bool{s}, a)
				equal(t, k.name+" with one element on the left", got, want...)
			}
		}
	}
	got := []bool{true, false, true}
	Not(got, got)
	equal(t, "Not in place", got, false, true, false)
	words := make([]bool, 3)
	Equal(words, []string{"", "é", "b"}, []string{"", "e", "b"})
	equal(t, "Equal of strings", words, true, false, true)
}

// TestReduceLogic compares reductions of conditions along each set of axes with their definition.
func TestReduceLogic(t *testing.T) {
	shape := []int{3, 2, 3}
	for pattern := range 64 {
		x, numbers := make([]bool, 18), make([]float64, 18)
		for i := range x {
			if x[i] = (pattern*7+i*i*5)%11 < 6; pattern < 2 {
				x[i] = pattern == 1 // all are equal
			}
			if x[i] {
				numbers[i] = 1
			}
		}
		for mask := range 8 {
			to, _, most := reduceNaively(numbers, shape, mask, 0, math.Max)
			_, _, least := reduceNaively(numbers, shape, mask, 1, math.Min)
			got := make([]bool, len(most))
			ReduceAny(got, x, shape, to)
			equal(t, "ReduceAny", got, truths(most)...)
			ReduceAll(got, x, shape, to)
			equal(t, "ReduceAll", got, truths(least)...)
		}
	}
}

func truths(x []float64) []bool {
	y := make([]bool, len(x))
	CastToBool(y, x)
	return y
}

// TestIsNaN checks floats of both sizes.
func TestIsNaN(t *testing.T) {
	x := []float64{0, nan, inf, -inf, math.MaxFloat64, -math.MaxFloat64}
	testIsNaN(t, x)
	testIsNaN(t, append(narrow32(x[:4]), math.MaxFloat32, -math.MaxFloat32))
}

func testIsNaN[T Float](t *testing.T, x []T) {
	got := make([]bool, len(x))
	IsNaN(got, x)
	equal(t, "IsNaN", got, false, true, false, false, false, false)
	for _, c := range []struct {
		positive, negative bool
		want               []bool
	}{
		{true, true, []bool{false, false, true, true, false, false}},
		{true, false, []bool{false, false, true, false, false, false}},
		{false, true, []bool{false, false, false, true, false, false}},
		{false, false, make([]bool, 6)},
	} {
		IsInf(got, x, c.positive, c.negative)
		equal(t, "IsInf", got, c.want...)
	}
}

// TestSelect compares Select and Where of an integer type with their definition, for operands of one element and of all.
func TestSelect(t *testing.T) {
	const n = 9
	cond := make([]bool, n)
	for i := range cond {
		cond[i] = i%3 == 1
	}
	a, b := counted(n), make([]int32, n)
	BitwiseNot(b, a) // -1, -2, …
	for mask := range 8 {
		c, x, y := cond, a, b
		if mask&1 != 0 {
			c = cond[1:2]
		}
		if mask&2 != 0 {
			x = a[4:5]
		}
		if mask&4 != 0 {
			y = b[:1]
		}
		want := make([]int32, n)
		for i := range want {
			if want[i] = y[i%len(y)]; c[i%len(c)] {
				want[i] = x[i%len(x)]
			}
		}
		got := make([]int32, n)
		Select(got, c, x, y)
		equal(t, "Select", got, want...)
		Where(got, c, x, y, []int{n}, []int{len(c)}, []int{len(x)}, []int{len(y)})
		equal(t, "Where", got, want...)
	}
	words := make([]string, 2)
	Select(words, []bool{true, false}, []string{"a"}, []string{"b"})
	if !slices.Equal(words, []string{"a", "b"}) {
		t.Errorf("got %q", words)
	}
}
