package cpu

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"math"
	"math/rand/v2"
	reflection "reflect" // the package has a function of that name
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// fenceLengths are those around vectors and a few of them, and larger odd ones that threads share.
func fenceLengths(f func(n int)) {
	for n := range 131 {
		f(n)
	}
	for _, n := range []int{255, 1027, 4099} {
		f(n)
	}
	if !testing.Short() {
		f(65549)
	}
}

// unary applies a function to each element.
func unary(f func(x float64) float64) func(dst, x []float64) {
	return func(dst, x []float64) {
		for i, v := range x {
			dst[i] = f(v)
		}
	}
}

func binary64(f func(a, b float64) float64) func(dst, a, b []float64) {
	return func(dst, a, b []float64) {
		for i := range dst {
			dst[i] = f(a[i], b[i])
		}
	}
}

// intoFirst makes a kernel of a function that returns a number.
func intoFirst[T any, R any](f func(x []T) R) func(dst []R, x []T) {
	return func(dst []R, x []T) { dst[0] = f(x) }
}

// unwritten are results before a kernel writes them.
func unwritten(n int) []float32 { return slicesOf(n, float32(nan)) }

func positive(rng *rand.Rand, n int) []float32 {
	x := randoms(rng, n)
	for i, v := range x {
		x[i] = v*v + 0.125
	}
	return x
}

func exactUnaries() map[string][2]any {
	return map[string][2]any{
		"Relu": {VecRelu32, unary(func(x float64) float64 { return max(x, 0) })}, "Exp": {VecExp32, unary(math.Exp)},
		"Sigmoid": {VecSigmoid32, unary(exactSigmoid)}, "Tanh": {VecTanh32, unary(math.Tanh)}, "Erf": {VecErf32, unary(math.Erf)},
		"Gelu": {VecGelu32, unary(exactGelu)}, "GeluTanh": {VecGeluTanh32, unary(exactGeluTanh)}, "Silu": {VecSilu32, unary(exactSilu)},
		"HardSwish": {VecHardSwish32, unary(exactHardSwish)}, "Abs": {Abs[float32], unary(math.Abs)}, "Neg": {Neg[float32], Neg[float64]},
		"Softplus": {Softplus[float32], unary(func(x float64) float64 { return math.Log1p(math.Exp(x)) })}, "Floor": {Floor[float32], unary(math.Floor)},
		"Mish": {Mish[float32], Mish[float64]}, "Sign": {Sign[float32], Sign[float64]}, "Round": {Round[float32], unary(math.RoundToEven)}, "Sin": {Sin[float32], unary(math.Sin)},
	}
}

// Elementwise kernels stay within their slices.
func TestFenceElementwise(t *testing.T) {
	fenced(t, func(f *fence) {
		rng := rand.New(rand.NewPCG(1, 2))
		fenceLengths(func(n int) {
			a, b, s := randoms(rng, n), positive(rng, n), rng.Float32()+0.5
			for name, k := range exactUnaries() {
				f.run(name, 1e-5, k[0], k[1], unwritten(n), a)
			}
			f.run("VecLog32", 1e-5, VecLog32, unary(math.Log), unwritten(n), b)
			f.run("VecSqrt32", 1e-6, VecSqrt32, unary(math.Sqrt), unwritten(n), b)
			for name, k := range map[string][2]any{
				"VecAdd32": {VecAdd32, Add[float64]}, "VecSub32": {VecSub32, Sub[float64]}, "VecMul32": {VecMul32, Mul[float64]}, "VecDiv32": {VecDiv32, Div[float64]},
				"VecMax32": {VecMax32, binary64(math.Max)}, "VecMin32": {VecMin32, binary64(math.Min)},
				"ReluGrad": {ReluGrad[float32], ReluGrad[float64]}, "GeluGrad": {GeluGrad[float32], GeluGrad[float64]}, "GeluTanhGrad": {GeluTanhGrad[float32], GeluTanhGrad[float64]},
			} {
				f.run(name, 1e-5, k[0], k[1], unwritten(n), a, b)
			}
			for name, k := range map[string]struct {
				f     func(dst, a []float32, s float32)
				exact func(a, s float64) float64
			}{
				"AddS": {VecAddS32, func(a, s float64) float64 { return a + s }}, "SubS": {VecSubS32, func(a, s float64) float64 { return a - s }},
				"MulS": {VecMulS32, func(a, s float64) float64 { return a * s }}, "DivS": {VecDivS32, func(a, s float64) float64 { return a / s }},
				"MaxS": {VecMaxS32, math.Max}, "MinS": {VecMinS32, math.Min},
				"RSubS": {VecRSubS32, func(a, s float64) float64 { return s - a }}, "RDivS": {VecRDivS32, func(a, s float64) float64 { return s / a }},
			} {
				f.run(name, 1e-5, k.f, func(dst, a []float64, s float64) { unary(func(v float64) float64 { return k.exact(v, s) })(dst, a) }, unwritten(n), b, s)
			}
			f.run("VecAxpy32", 1e-5, VecAxpy32, func(dst, x []float64, alpha float64) {
				for i, v := range x {
					dst[i] += alpha * v
				}
			}, a, b, s)
			for _, act := range acts {
				f.run("AddAct", 1e-5, AddAct[float32], AddAct[float64], a, b, act)
			}
			f.run("LeakyRelu", 1e-6, LeakyRelu[float32], LeakyRelu[float64], unwritten(n), a, 0.1)
			f.run("Clip", 1e-6, Clip[float32], Clip[float64], unwritten(n), a, []float32{-0.5}, []float32{0.5})
			f.run("PRelu", 1e-6, PRelu[float32], PRelu[float64], unwritten(n), a, b)
			f.run("SwiGLU", 1e-5, SwiGLU[float32], SwiGLU[float64], unwritten(n), a, b, 1.0)
			f.run("Pow", 1e-5, Pow[float32], Pow[float64], unwritten(n), b, a)
			cond, above := make([]bool, n), make([]bool, n)
			for i := range cond {
				cond[i] = rng.IntN(2) == 0
			}
			f.run("Where with a scalar", 0, Where[float32], Where[float64], unwritten(n), cond, []float32{s}, b, []int{1, n}, []int{1, n}, []int{1, 1}, []int{1, n})
			f.run("Where with a scalar behind", 0, Where[float32], Where[float64], unwritten(n), cond, a, []float32{s}, []int{1, n}, []int{1, n}, []int{1, n}, []int{1, 1})
			f.run("Less", 0, Less[float32], Less[float64], above, a, b)
			f.run("Select", 0, Select[float32], Select[float64], unwritten(n), cond, a, b)
		})
	})
}

// Reductions of one row, and kernels of several rows, stay within their slices.
func TestFenceRows(t *testing.T) {
	fenced(t, func(f *fence) {
		rng := rand.New(rand.NewPCG(3, 4))
		fenceLengths(func(n int) {
			a, b, c, one := randoms(rng, n), randoms(rng, n), positive(rng, n), []float32{0}
			tol := 1e-5 * math.Sqrt(float64(n+1))
			sum := func(x []float64) (s float64) {
				for _, v := range x {
					s += v
				}
				return s
			}
			f.run("VecSum32", tol, intoFirst(VecSum32), intoFirst(sum), one, a)
			f.run("VecDot32", tol, func(dst, a, b []float32) { dst[0] = VecDot32(a, b) }, func(dst, a, b []float64) { dst[0] = inner(a, b) }, one, a, b)
			wide := []float64{0}
			f.run("SumSquares64", tol, intoFirst(SumSquares64), func(dst, x []float64) { dst[0] = inner(x, x) }, wide, a)
			f.run("SumAbs64", tol, intoFirst(SumAbs64), func(dst, x []float64) {
				for _, v := range x {
					dst[0] += math.Abs(v)
				}
			}, wide, a)
			f.run("MaxAbs32", tol, intoFirst(MaxAbs32), func(dst, x []float64) {
				for _, v := range x {
					dst[0] = max(dst[0], math.Abs(v))
				}
			}, one, a)
			f.run("AllFinite", 0, intoFirst(AllFinite), func(dst []bool, x []float64) { dst[0] = true }, []bool{false}, a)
			if n == 0 {
				return
			}
			highest := func(x []float64) (v float64) { return -lowestOf(x, -1) }
			f.run("VecReduceMax32", 0, intoFirst(VecReduceMax32), intoFirst(highest), one, a)
			f.run("VecReduceMin32", 0, intoFirst(VecReduceMin32), intoFirst(func(x []float64) float64 { return lowestOf(x, 1) }), one, a)
			f.run("VecLayerNorm32", 1e-4, VecLayerNorm32, func(dst, x, scale, bias []float64, eps float64) {
				LayerNorm(dst, nil, nil, x, scale, bias, len(x), eps)
			}, unwritten(n), a, b, c, float32(1e-3))
			f.run("vecExpSubS", 1e-5, vecExpSubS, func(dst, a []float64, s float64) { unary(func(v float64) float64 { return math.Exp(v - s) })(dst, a) }, unwritten(n), a, float32(0.5))
			if n < 200 {
				for _, times := range []int{1, 2, 3, 4, 7, 16, 17} {
					f.run("vecRepeat", 0, vecRepeat, func(dst, x []float64, times int) {
						for i := range dst {
							dst[i] = x[i/times]
						}
					}, unwritten(n*times), a, times)
				}
			}
			f.run("VecSoftmax32", 1e-5, VecSoftmax32, func(dst, x []float64) { Softmax(dst, x, 1, len(x), 1) }, unwritten(n), a)
			f.run("ArgMax", 0, ArgMax[float32], ArgMax[float64], make([]int64, 1), a, 1, n, 1, false)
			if n > 2000 {
				return
			}
			x, y, mean, dev := randoms(rng, 3*n), randoms(rng, 3*n), unwritten(3), unwritten(3)
			f.run("LayerNorm", 1e-4, LayerNorm[float32], LayerNorm[float64], unwritten(3*n), mean, dev, x, b, c, n, 1e-2)
			f.run("LayerNormGrad", 1e-3, LayerNormGrad[float32], LayerNormGrad[float64], unwritten(3*n), unwritten(n), unwritten(n), y, x, c, NormParams{N: n, Eps: 1e-1, Center: n%2 == 0})
			f.run("L2Norm", 1e-4, L2Norm[float32], L2Norm[float64], unwritten(3*n), x, n, 1e-2)
			if n <= maxGrouped {
				many := randoms(rng, 17*n)
				f.run("LayerNorm of short rows", 1e-4, LayerNorm[float32], LayerNorm[float64], unwritten(17*n), []float32(nil), []float32(nil), many, b, c, n, 1e-2)
				f.run("L2Norm of short rows", 1e-4, L2Norm[float32], L2Norm[float64], unwritten(17*n), many, n, 1e-2)
			}
			f.run("RMSNorm", 1e-4, RMSNorm[float32, float32], RMSNorm[float64, float64], unwritten(3*n), x, c, n, 1e-2)
			for _, s := range [][3]int{{3, n, 1}, {1, n, 3}, {1, 3, n}} {
				f.run("Softmax", 1e-5, Softmax[float32], Softmax[float64], unwritten(3*n), x, s[0], s[1], s[2])
				f.run("LogSoftmax", 1e-5, LogSoftmax[float32], LogSoftmax[float64], unwritten(3*n), x, s[0], s[1], s[2])
				soft := unwritten(3 * n)
				Softmax(soft, x, s[0], s[1], s[2])
				f.run("SoftmaxGrad", 1e-4, SoftmaxGrad[float32], SoftmaxGrad[float64], unwritten(3*n), y, soft, s[0], s[1], s[2])
			}
			mask := make([]bool, n)
			for i := range mask {
				mask[i] = rng.IntN(3) > 0
			}
			f.run("MaskedSoftmax", 1e-5, MaskedSoftmax[float32], MaskedSoftmax[float64], unwritten(3*n), x, mask, 0.5, -1e4, []int{3, n}, []int{1, n})
			f.run("GlobalAveragePool", 1e-5, GlobalAveragePool[float32], GlobalAveragePool[float64], unwritten(3), x, n)
			f.run("GlobalMaxPool", 0, GlobalMaxPool[float32], GlobalMaxPool[float64], unwritten(3), x, n)
			for _, s := range [][2][]int{{{3, n}, {3, 1}}, {{n, 3}, {n, 1}}, {{n, 3}, {1, 3}}, {{3, n}, {1, n}}} {
				to := sizeOf(s[1])
				f.run("ReduceL1", 1e-4, ReduceL1[float32], ReduceL1[float64], unwritten(to), x, s[0], s[1])
				f.run("ReduceL2", 1e-4, ReduceL2[float32], ReduceL2[float64], unwritten(to), x, s[0], s[1])
				f.run("ReduceSum", 1e-4, ReduceSum[float32], ReduceSum[float64], unwritten(to), x, s[0], s[1])
				f.run("ReduceMean", 1e-4, ReduceMean[float32], ReduceMean[float64], unwritten(to), x, s[0], s[1])
				f.run("ReduceMaximum", 0, ReduceMaximum[float32], ReduceMaximum[float64], unwritten(to), x, s[0], s[1])
				f.run("ReduceSumSquare", 1e-4, ReduceSumSquare[float32], ReduceSumSquare[float64], unwritten(to), x, s[0], s[1])
			}
			f.run("AffineAct", 1e-5, AffineAct[float32], AffineAct[float64], unwritten(3*n), x, []float32{1, 2, 3}, []float32{3, 2, 1}, n, ActRelu)
			f.run("AffineAct last", 1e-5, AffineAct[float32], AffineAct[float64], unwritten(3*n), x, b, c, 1, ActSilu)
			f.run("GroupNorm", 1e-3, GroupNorm[float32], GroupNorm[float64], unwritten(3*n), x, []float32{1, 2, 3}, []float32{3, 2, 1}, 3, 3, n, 1e-2)
			f.run("GroupNormLast32", 1e-3, GroupNormLast32, func(dst, x, scale, bias []float64, s GroupNormShape, eps float64) {
				planes := make([]float64, len(x))
				planesOf := make([]float64, len(x))
				for i, v := range x {
					planesOf[i%s.Channels*s.Lines*s.Width+i/s.Channels] = v
				}
				GroupNorm(planes, planesOf, scale, bias, s.Groups, s.Channels, s.Lines*s.Width, eps)
				copy(dst, channelsLast(planes, 1, s.Channels))
			}, unwritten(3*n), x, b, c, GroupNormShape{Images: 1, Groups: 1, Channels: n, Lines: 1, Width: 3}, 1e-2)
		})
	})
}

// lowestOf returns the lowest of sign·x.
func lowestOf(x []float64, sign float64) float64 {
	low := inf
	for _, v := range x {
		low = min(low, sign*v)
	}
	return low
}

// Conversions, codecs and checksums stay within their slices.
func TestFenceConversions(t *testing.T) {
	fenced(t, func(f *fence) {
		rng := rand.New(rand.NewPCG(5, 6))
		fenceLengths(func(n int) {
			x, f16, bf16 := randoms(rng, n), make([]tensor.F16, n), make([]tensor.BF16, n)
			f.run("CastToSmall F16", 0, CastToSmall[tensor.F16, float32], toSmall[tensor.F16], f16, x, true, 0)
			f.run("CastToSmall BF16", 0, CastToSmall[tensor.BF16, float32], toSmall[tensor.BF16], bf16, x, true, 0)
			toSmall(f16, x, true, 0)
			toSmall(bf16, x, true, 0)
			f.run("CastFromSmall F16", 0, CastFromSmall[tensor.F16], fromSmall[tensor.F16], unwritten(n), f16)
			f.run("CastFromSmall BF16", 0, CastFromSmall[tensor.BF16], fromSmall[tensor.BF16], unwritten(n), bf16)
			f.run("ReluGradStored", 1e-6, ReluGradStored[tensor.BF16], wideGrad[tensor.BF16](ReluGrad[float64]), unwritten(n), x, bf16)
			f.run("GeluGradStored", 1e-5, GeluGradStored[tensor.F16], wideGrad[tensor.F16](GeluGrad[float64]), unwritten(n), x, f16)
			f.run("GeluTanhGradStored", 1e-5, GeluTanhGradStored[tensor.F16], wideGrad[tensor.F16](GeluTanhGrad[float64]), unwritten(n), x, f16)
			bytes, table := randomInt8s[uint8](rng, n), randomInt8s[int8](rng, 256)
			f.run("ByteTable", 0, ByteTable[int8, uint8], func(dst []int8, x []uint8, table []int8) {
				for i, v := range x {
					dst[i] = table[v]
				}
			}, make([]int8, n), bytes, table)
			f.run("QAdd", 0, QAdd[uint8], func(dst, a, b []uint8, s ByteSum) {
				for i := range dst {
					sum := float32(float32(int(a[i])-s.AZero)*float32(s.AScale)) + float32(float32(int(b[i])-s.BZero)*float32(s.BScale))
					dst[i] = uint8(min(max(math.RoundToEven(float64(sum/float32(s.Scale)))+float64(s.Zero), 0), 255))
				}
			}, make([]uint8, n), bytes, slices.Clone(bytes), ByteSum{AScale: 0.01, BScale: 0.03, Scale: 0.02, AZero: 100, BZero: 3, Zero: 90})
			scale, zero := []float32{0.01}, []uint8{100}
			f.run("Quantize", 0, Quantize[uint8], func(dst []uint8, x, scale []float32, zero []uint8) {
				for i, v := range x {
					dst[i] = uint8(min(max(math.RoundToEven(float64(v/scale[0]))+float64(zero[0]), 0), 255))
				}
			}, make([]uint8, n), x, scale, zero)
			f.run("Dequantize", 1e-6, Dequantize[uint8], func(dst []float64, x []uint8, scale []float64, zero []uint8) {
				for i, v := range x {
					dst[i] = float64(int(v)-int(zero[0])) * scale[0]
				}
			}, unwritten(n), bytes, scale, zero)
			f.run("Dequantize int8", 1e-6, Dequantize[int8], func(dst []float64, x []int8, scale []float64, zero []int8) {
				for i, v := range x {
					dst[i] = float64(int(v)-int(zero[0])) * scale[0]
				}
			}, unwritten(n), randomInt8s[int8](rng, n), scale, []int8{-7})
			f.run("Cast of int32", 0, Cast[float32, int32], func(dst []float64, x []int32) {
				for i, v := range x {
					dst[i] = float64(v)
				}
			}, unwritten(n), wideBytes(bytes))
			if n > 0 {
				f.run("DynamicQuantizeLinear", 0, DynamicQuantizeLinear, atPortable(DynamicQuantizeLinear), make([]uint8, n), unwritten(1), make([]uint8, 1), x)
			}
			f.run("Cast int8", 0, Cast[int8, float32], castLoop[int8], make([]int8, n), x)
			f.run("Cast int32", 0, Cast[int32, float32], castLoop[int32], make([]int32, n), x)
			wide := widen64(x)
			f.run("AddScaled64", 1e-12, AddScaled64, func(dst []float64, x []float32, s float64) {
				for i, v := range x {
					dst[i] += float64(float64(v) * s)
				}
			}, wide, x, 1.5)
			f.run("DivNarrow", 1e-6, DivNarrow, func(dst, x []float64, d float64) { unary(func(v float64) float64 { return v / d })(dst, x) }, unwritten(n), wide, 3.0)
			f.run("AverageScaled", 1e-5, AverageScaled, func(dst []float64, x [][]float64, scale []float64, d float64) {
				for i := range dst {
					dst[i] = (x[0][i]*scale[0] + x[1][i]*scale[1]) / d
				}
			}, unwritten(n), [][]float32{x, positive(rng, n)}, []float64{1, 2}, 3.0)
			signs, random := randomInt8s[uint8](rng, (n+7)/8), make([]uint16, n)
			f.run("PutSigns", 0, PutSigns, atPortable(PutSigns), unwritten(n), signs, float32(0.5))
			f.run("TakeSigns", 0, TakeSigns, atPortable(TakeSigns), signs, x, float32(0.5))
			f.run("UnpackNibbles", 0, UnpackNibbles, atPortable(UnpackNibbles), make([]int8, n), randomInt8s[uint8](rng, (n+1)/2))
			f.run("PackNibbles", 0, PackNibbles, atPortable(PackNibbles), make([]uint8, (n+1)/2), bytes)
			f.run("FixedPoint", 0, FixedPoint, atPortable(FixedPoint), make([]int32, n), x, random, 100.0)
			f.run("Keystream", 0, streamAdded, cipherAdded, make([]int32, n))
		})
	})
}

// streamAdded adds a keystream, where there is assembly for it.
func streamAdded(x []int32) {
	if !HasKeystream() {
		cipherAdded(x)
		return
	}
	k := NewKeystream([16]byte{1, 2, 3})
	k.Add(x, 5, 77, 1)
}

// cipherAdded is streamAdded by the standard library.
func cipherAdded(x []int32) {
	block, _ := aes.NewCipher([]byte{1, 2, 3, 15: 0})
	counter := binary.BigEndian.AppendUint64([]byte{7: 5}, 77)
	stream := make([]byte, 4*len(x))
	cipher.NewCTR(block, counter).XORKeyStream(stream, stream)
	for i := range x {
		x[i] += int32(binary.LittleEndian.Uint32(stream[4*i:]))
	}
}

// atPortable is a kernel that runs at the portable level.
func atPortable(kernel any) any {
	f := reflection.ValueOf(kernel)
	return reflection.MakeFunc(f.Type(), func(in []reflection.Value) []reflection.Value {
		defer SetLevel(SetLevel(Portable))
		return f.Call(in)
	}).Interface()
}

func toSmall[D tensor.F16 | tensor.BF16](dst []D, x []float32, _ bool, _ int) {
	for i, v := range x {
		switch d := any(&dst[i]).(type) {
		case *tensor.F16:
			*d = tensor.ToFloat16(v)
		case *tensor.BF16:
			*d = tensor.ToBFloat16(v)
		}
	}
}

func fromSmall[S interface {
	tensor.F16 | tensor.BF16
	Float32() float32
}](dst []float32, x []S) {
	for i, v := range x {
		dst[i] = v.Float32()
	}
}

// wideGrad applies a gradient to operands that are widened.
func wideGrad[S interface {
	tensor.F16 | tensor.BF16
	Float32() float32
}](grad func(dst, dy, x []float64)) func(dst, dy []float64, x []S) {
	return func(dst, dy []float64, x []S) {
		wide := make([]float32, len(x))
		fromSmall(wide, x)
		grad(dst, dy, widen64(wide))
	}
}

func castLoop[D int8 | int32](dst []D, x []float32) {
	for i, v := range x {
		dst[i] = D(v)
	}
}

func wideBytes(x []uint8) []int32 {
	y := make([]int32, len(x))
	for i, v := range x {
		y[i] = int32(v) - 100
	}
	return y
}
