package cpu

import (
	"math/big"
	"slices"
	"testing"
	"unsafe"
)

// bigOf returns v as a number of any size.
func bigOf[T Integer](v T) *big.Int {
	if v < 0 {
		return big.NewInt(int64(v))
	}
	return new(big.Int).SetUint64(uint64(v))
}

// wrapped returns v modulo 2 to the number of T's bits, as two's complement.
func wrapped[T Integer](v *big.Int) T {
	bits := uint(unsafe.Sizeof(T(0)) * 8)
	return T(new(big.Int).And(v, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), bits), big.NewInt(1))).Uint64())
}

// edges returns numbers at which integer arithmetic may go wrong.
func edges[T Integer]() []T {
	low, high := lowestInteger[T]()
	x := []T{low, low + 1, low / 2, 0, 1, 2, 3, 7, 8, 31, 63, 64, high / 2, high/2 + 1, high - 1, high}
	if low < 0 {
		var zero T
		x = append(x, zero-1, zero-2, zero-7, zero-64)
	}
	return x
}

// lowestInteger returns the ends of T's range.
func lowestInteger[T Integer]() (low, high T) {
	high = T(1)<<(unsafe.Sizeof(low)*8-2) - 1
	high = high*2 + 1
	if high+1 > 0 { // unsigned
		return 0, high*2 + 1
	}
	return high + 1, high
}

// integerBinaries are the kernels of two integers, with what they compute as numbers of any size. The result is taken modulo
// the size of the type.
func integerBinaries[T Integer]() []integerBinary[T] {
	width := int(unsafe.Sizeof(T(0)) * 8)
	shift := func(b *big.Int) uint { // beyond the width, or negative: all bits are shifted out
		if b.Sign() < 0 || b.Cmp(big.NewInt(int64(width))) > 0 {
			return uint(width)
		}
		return uint(b.Uint64())
	}
	return []integerBinary[T]{
		{"Add", Add[T], new(big.Int).Add, false},
		{"Sub", Sub[T], new(big.Int).Sub, false},
		{"Mul", Mul[T], new(big.Int).Mul, false},
		{"Div", Div[T], new(big.Int).Quo, true},
		{"Fmod", Fmod[T], new(big.Int).Rem, true},
		{"Mod", Mod[T], floorMod, true},
		{"Max", Max[T], func(a, b *big.Int) *big.Int { return pickBig(a.Cmp(b) > 0, a, b) }, false},
		{"Min", Min[T], func(a, b *big.Int) *big.Int { return pickBig(a.Cmp(b) < 0, a, b) }, false},
		{"BitwiseAnd", BitwiseAnd[T], new(big.Int).And, false},
		{"BitwiseOr", BitwiseOr[T], new(big.Int).Or, false},
		{"BitwiseXor", BitwiseXor[T], new(big.Int).Xor, false},
		{"ShiftLeft", ShiftLeft[T], func(a, b *big.Int) *big.Int { return new(big.Int).Lsh(a, shift(b)) }, false},
		{"ShiftRight", ShiftRight[T], func(a, b *big.Int) *big.Int { return new(big.Int).Rsh(a, shift(b)) }, false},
		{"Pow", Pow[T], powModulo(width), false},
	}
}

type integerBinary[T Integer] struct {
	name    string
	f       func(dst, a, b []T)
	exact   func(a, b *big.Int) *big.Int
	divides bool // the second operand must not be 0
}

// floorMod is a - ⌊a/b⌋·b, which has b's sign.
func floorMod(a, b *big.Int) *big.Int {
	m := new(big.Int).Mod(a, new(big.Int).Abs(b))
	if b.Sign() < 0 && m.Sign() > 0 {
		m.Add(m, b)
	}
	return m
}

// powModulo is a to the power of b modulo 2 to the width. Negative powers are rounded towards 0, and those of 0 are 0.
func powModulo(width int) func(a, b *big.Int) *big.Int {
	modulus := new(big.Int).Lsh(big.NewInt(1), uint(width))
	return func(a, b *big.Int) *big.Int {
		switch {
		case b.Sign() >= 0:
			return new(big.Int).Exp(a, b, modulus)
		case a.CmpAbs(big.NewInt(1)) != 0:
			return new(big.Int)
		case a.Sign() < 0 && b.Bit(0) == 1:
			return big.NewInt(-1)
		}
		return big.NewInt(1)
	}
}

func pickBig(first bool, a, b *big.Int) *big.Int {
	if first {
		return new(big.Int).Set(a)
	}
	return new(big.Int).Set(b)
}

// TestIntegerArithmetic compares kernels of all integer types with arithmetic of numbers of any size, for all pairs of edges, and
// where one element stands for all.
func TestIntegerArithmetic(t *testing.T) {
	t.Run("int8", testIntegerArithmetic[int8])
	t.Run("int16", testIntegerArithmetic[int16])
	t.Run("int32", testIntegerArithmetic[int32])
	t.Run("int64", testIntegerArithmetic[int64])
	t.Run("uint8", testIntegerArithmetic[uint8])
	t.Run("uint16", testIntegerArithmetic[uint16])
	t.Run("uint32", testIntegerArithmetic[uint32])
	t.Run("uint64", testIntegerArithmetic[uint64])
}

func testIntegerArithmetic[T Integer](t *testing.T) {
	x := edges[T]()
	for _, k := range integerBinaries[T]() {
		for _, b := range x {
			if k.divides && b == 0 {
				continue
			}
			want := make([]T, len(x))
			for i, a := range x {
				want[i] = wrapped[T](k.exact(bigOf(a), bigOf(b)))
			}
			got, bs := make([]T, len(x)), slicesOf(len(x), b)
			k.f(got, x, bs)
			equal(t, k.name, got, want...)
			k.f(got, x, []T{b})
			equal(t, k.name+" by one element", got, want...)
			for i := range x {
				k.f(got, x[i:i+1], bs)
				equal(t, k.name+" of one element", got, slicesOf(len(x), want[i])...)
			}
		}
		k.f(nil, nil, nil)
		k.f(nil, x[4:5], nil)
		if k.divides {
			want := map[string]string{"Div": "Div", "Mod": "Mod", "Fmod": "Mod"}[k.name] + ": integer division by zero"
			if got := complaint(func() { k.f(make([]T, 2), x[:2], []T{1, 0}) }); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
}

// TestIntegerUnary compares kernels of one integer with numbers of any size.
func TestIntegerUnary(t *testing.T) {
	t.Run("int8", testIntegerUnary[int8])
	t.Run("int16", testIntegerUnary[int16])
	t.Run("int32", testIntegerUnary[int32])
	t.Run("int64", testIntegerUnary[int64])
	t.Run("uint8", testIntegerUnary[uint8])
	t.Run("uint16", testIntegerUnary[uint16])
	t.Run("uint32", testIntegerUnary[uint32])
	t.Run("uint64", testIntegerUnary[uint64])
}

func testIntegerUnary[T Integer](t *testing.T) {
	low, high := lowestInteger[T]()
	for _, k := range []struct {
		name  string
		f     func(dst, x []T)
		exact func(x *big.Int) *big.Int
	}{
		{"Abs", Abs[T], new(big.Int).Abs},
		{"Neg", Neg[T], new(big.Int).Neg},
		{"Sign", Sign[T], func(x *big.Int) *big.Int { return big.NewInt(int64(x.Sign())) }},
		{"BitwiseNot", BitwiseNot[T], new(big.Int).Not},
		{"Clip", func(d, x []T) { Clip(d, x, []T{2}, []T{high / 2}) }, func(x *big.Int) *big.Int {
			return slices.MaxFunc([]*big.Int{bigOf(T(2)), slices.MinFunc([]*big.Int{x, bigOf(high / 2)}, (*big.Int).Cmp)}, (*big.Int).Cmp)
		}},
		{"Clip without limits", func(d, x []T) { Clip(d, x, nil, nil) }, func(x *big.Int) *big.Int { return x }},
		{"PRelu", func(d, x []T) { PRelu(d, x, []T{3}) }, func(x *big.Int) *big.Int {
			return new(big.Int).Mul(x, big.NewInt([]int64{3, 1, 1}[x.Sign()+1]))
		}},
	} {
		x := edges[T]()
		got, want := make([]T, len(x)), make([]T, len(x))
		for i, v := range x {
			want[i] = wrapped[T](k.exact(bigOf(v)))
		}
		k.f(got, x)
		equal(t, k.name, got, want...)
		k.f(x, x)
		equal(t, k.name+" in place", x, want...)
		k.f(nil, nil)
	}
	if l, g := lowest[T](), greatest[T](); l != low || g != high {
		t.Errorf("range from %d to %d, want %d to %d", l, g, low, high)
	}
}

// TestPReluSlopes checks a slope for each element, and one element with many slopes.
func TestPReluSlopes(t *testing.T) {
	got := make([]int32, 4)
	PRelu(got, []int32{-3, -3, 3, 0}, []int32{2, -1, 5, 7})
	equal(t, "a slope for each", got, -6, 3, 3, 0)
	PRelu(got, []int32{-3}, []int32{2, -1, 0, 1})
	equal(t, "one element", got, -6, 3, 0, -3)
	PRelu(got, []int32{3}, []int32{2, -1, 0, 1})
	equal(t, "one positive element", got, 3, 3, 3, 3)
	f := make([]float32, 3)
	PRelu(f, []float32{float32(nan), float32(-inf), -2}, []float32{2, 1, float32(inf)})
	about(t, "not finite", f[1:2], -inf)
	if f[0] == f[0] || f[2] != float32(-inf) {
		t.Errorf("got %v, want NaN, -Inf, -Inf", f)
	}
}

// TestIntegerReductions compares reductions of integers, which wrap around, with sums and products of any size.
func TestIntegerReductions(t *testing.T) {
	t.Run("int8", testIntegerReductions[int8])
	t.Run("int32", testIntegerReductions[int32])
	t.Run("int64", testIntegerReductions[int64])
	t.Run("uint8", testIntegerReductions[uint8])
	t.Run("uint16", testIntegerReductions[uint16])
	t.Run("uint64", testIntegerReductions[uint64])
}

func testIntegerReductions[T Integer](t *testing.T) {
	low, high := lowestInteger[T]()
	for _, k := range []struct {
		name  string
		f     func(dst, x []T, shape, to []int)
		start T
		step  func(s, v *big.Int) *big.Int
	}{
		{"ReduceSum", ReduceSum[T], 0, new(big.Int).Add},
		{"ReduceProd", ReduceProd[T], 1, new(big.Int).Mul},
		{"ReduceSumSquare", ReduceSumSquare[T], 0, func(s, v *big.Int) *big.Int { return new(big.Int).Add(s, new(big.Int).Mul(v, v)) }},
		{"ReduceL1", ReduceL1[T], 0, func(s, v *big.Int) *big.Int { return new(big.Int).Add(s, new(big.Int).Abs(v)) }},
		{"ReduceMaximum", ReduceMaximum[T], low, func(s, v *big.Int) *big.Int { return pickBig(s.Cmp(v) > 0, s, v) }},
		{"ReduceMinimum", ReduceMinimum[T], high, func(s, v *big.Int) *big.Int { return pickBig(s.Cmp(v) < 0, s, v) }},
	} {
		x := edges[T]()[:16]
		for _, to := range [][]int{{2, 1, 4}, {1, 2, 1}, {1, 1, 1}, {2, 2, 4}, {1, 2, 4}, {2, 2, 1}} {
			want := slicesOf(sizeOf(to), k.start)
			for i, v := range x {
				index := [3]int{i / 8 % to[0], i / 4 % 2 % to[1], i % 4 % to[2]}
				w := &want[(index[0]*to[1]+index[1])*to[2]+index[2]]
				*w = wrapped[T](k.step(bigOf(*w), bigOf(v)))
			}
			got := make([]T, len(want))
			k.f(got, x, []int{2, 2, 4}, to)
			equal(t, k.name, got, want...)
		}
	}
	one := make([]T, 1)
	ReduceMean(one, []T{7, 8, 9, 10}, []int{4}, []int{1}) // 34/4, rounded towards 0
	equal(t, "ReduceMean", one, 8)
	ReduceL2(one, []T{3, 4, 5}, []int{3}, []int{1}) // √50, rounded down
	equal(t, "ReduceL2", one, 7)
}
