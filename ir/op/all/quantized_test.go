package all_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// scaleOf returns the position of the scale of element i: one for all, one for an index of the axis, or one for a block of
// indices.
func scaleOf(i int, shape []int, axis, block, scales int) int {
	inner := 1
	for _, n := range shape[axis+1:] {
		inner *= n
	}
	at, n := i/inner%shape[axis], shape[axis]
	switch {
	case scales == 1:
		return 0
	case block == 0:
		return at
	}
	return (i/inner/n*((n+block-1)/block)+at/block)*inner + i%inner
}

// halfEven rounds to the nearest integer, and halves to the even one.
func halfEven(v float64) float64 {
	low := math.Floor(v)
	switch d := v - low; {
	case d > 0.5 || d == 0.5 && math.Mod(low, 2) != 0:
		return low + 1
	default:
		return low
	}
}

// integerType is a type to which numbers are quantized.
type integerType struct {
	low, high float64
	of        func(v []float64, shape ...int) *tensor.Tensor
	floats    func(t *tensor.Tensor) []float64
}

func integersOf[T uint8 | int8 | uint16 | int16 | tensor.I4 | tensor.U4 | tensor.I2 | tensor.U2](low, high float64) integerType {
	return integerType{low, high, func(v []float64, shape ...int) *tensor.Tensor {
		x := make([]T, len(v))
		for i, f := range v {
			x[i] = T(f)
		}
		return tensor.Of(x, shape...)
	}, func(t *tensor.Tensor) []float64 {
		x := make([]float64, t.Len())
		for i, v := range t.Data.([]T) {
			x[i] = float64(v)
		}
		return x
	}}
}

var integerTypes = map[string]integerType{
	"uint8": integersOf[uint8](0, 255), "int8": integersOf[int8](-128, 127), "uint16": integersOf[uint16](0, 65535),
	"int16": integersOf[int16](-32768, 32767), "int4": integersOf[tensor.I4](-8, 7), "uint4": integersOf[tensor.U4](0, 15),
}

// TestQuantizeModel compares QuantizeLinear and DequantizeLinear with the specification, with one scale, one for each index of an axis and
// one for each block: halves, results out of range, infinities, and any zero point.
func TestQuantizeModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for name, typ := range integerTypes {
		for range 120 {
			shape := []int{1 + rng.IntN(3), 1 + rng.IntN(7), 1 + rng.IntN(4)}
			axis, block := rng.IntN(3), 0
			scaleShape, attrs := []int{}, ""
			switch rng.IntN(3) {
			case 1:
				scaleShape, attrs = []int{shape[axis]}, fmt.Sprintf("{axis = %d}", axis-3*rng.IntN(2))
			case 2:
				block = 1 + rng.IntN(shape[axis])
				blocks := (shape[axis] + block - 1) / block
				scaleShape = append([]int{}, shape...)
				scaleShape[axis] = blocks
				attrs = fmt.Sprintf("{axis = %d, block_size = %d}", axis, block)
			}
			scales := 1
			for _, n := range scaleShape {
				scales *= n
			}
			scale, zero := make([]float32, scales), make([]float64, scales)
			for i := range scale {
				scale[i] = float32(math.Exp(3 * rng.NormFloat64()))
				if rng.IntN(3) == 0 {
					scale[i] = 0.5 // many halves
				}
				zero[i] = typ.low + float64(rng.IntN(int(typ.high-typ.low)+1))
			}
			n := shape[0] * shape[1] * shape[2]
			x, want, back := make([]float32, n), make([]float64, n), make([]float64, n)
			for i := range x {
				s := scaleOf(i, shape, axis, block, scales)
				x[i] = float32(rng.IntN(81)-40) / 4 * scale[s]
				switch rng.IntN(12) {
				case 0:
					x[i] = float32(1e6 * rng.NormFloat64())
				case 1:
					x[i] = float32(math.Inf(1 - 2*rng.IntN(2)))
				}
				q := halfEven(float64(x[i]/scale[s])) + zero[s]
				if math.IsInf(float64(x[i]), 0) {
					q = float64(x[i])
				}
				want[i] = min(max(q, typ.low), typ.high)
				back[i] = float64(float32(want[i]-zero[s]) * scale[s])
			}
			what := fmt.Sprint("QuantizeLinear ", attrs, " of ", shape, " to ", name, " with scales ", scale, " zeros ", zero)
			ts, tz := tensor.Of(scale, scaleShape...), typ.of(zero, scaleShape...)
			out := computed(t, 1, "QuantizeLinear "+attrs, tensor.Of(x, shape...), ts, tz)
			closeTo(t, what, typ.floats(out[0]), want, 0)
			out = computed(t, 1, "DequantizeLinear "+attrs, out[0], ts, tz)
			got := make([]float64, n)
			for i, v := range out[0].Data.([]float32) {
				got[i] = float64(v)
			}
			closeTo(t, "and back: "+what, got, back, 0)
		}
	}
}

// TestProductModel compares products of quantized matrices with sums of integers: MatMulInteger and QLinearMatMul, of bytes
// with and without sign, with a zero point for all and for each row or column.
func TestProductModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	bytes := []string{"uint8", "int8"}
	for range 250 {
		at, bt := integerTypes[bytes[rng.IntN(2)]], integerTypes[bytes[rng.IntN(2)]]
		batch, m, k, n := 1+rng.IntN(2), 1+rng.IntN(4), rng.IntN(70), 1+rng.IntN(20)
		code := func(typ integerType) float64 {
			if rng.IntN(4) == 0 {
				return []float64{typ.low, typ.high}[rng.IntN(2)]
			}
			return typ.low + float64(rng.IntN(256))
		}
		fill := func(typ integerType, n int) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = code(typ)
			}
			return x
		}
		a, b := fill(at, batch*m*k), fill(bt, batch*k*n)
		az, bz := fill(at, 1), fill(bt, []int{1, n}[rng.IntN(2)])
		sums := make([]float64, batch*m*n)
		for i := range sums {
			c, r, p := i%n, i/n%m, i/n/m
			for d := range k {
				sums[i] += (a[(p*m+r)*k+d] - az[0]) * (b[(p*k+d)*n+c] - bz[c%len(bz)])
			}
		}
		zeroShape := []int{}
		if len(bz) > 1 {
			zeroShape = []int{n}
		}
		ta, tb := at.of(a, batch, m, k), bt.of(b, batch, k, n)
		what := fmt.Sprint(ta.DType, ta.Shape, " by ", tb.DType, tb.Shape, " zero points ", az, bz)
		if batch == 1 || len(bz) == 1 { // the zero points of columns of stacked matrices have another shape
			out := computed(t, 1, "MatMulInteger ", ta, tb, at.of(az), bt.of(bz, zeroShape...))
			got := make([]float64, len(sums))
			for i, v := range out[0].Data.([]int32) {
				got[i] = float64(v)
			}
			closeTo(t, "MatMulInteger of "+what, got, sums, 0)
		}
		if len(bz) > 1 {
			continue
		}
		as, bs, ys := float32(math.Ldexp(1, -rng.IntN(6))), float32(math.Ldexp(1, -rng.IntN(6))), float32(math.Ldexp(1, rng.IntN(8)))
		yz := code(at)
		for i, s := range sums { // powers of 2: no product is rounded
			sums[i] = min(max(halfEven(s*float64(as)*float64(bs)/float64(ys))+yz, at.low), at.high)
		}
		one := func(v float32) *tensor.Tensor { return tensor.Of([]float32{v}) }
		out := computed(t, 1, "QLinearMatMul ", ta, one(as), at.of(az), tb, one(bs), bt.of(bz), one(ys), at.of([]float64{yz}))
		closeTo(t, "QLinearMatMul of "+what, at.floats(out[0]), sums, 0)
	}
}
