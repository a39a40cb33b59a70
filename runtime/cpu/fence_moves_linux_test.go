package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Kernels that move elements, of several sizes, stay within their slices.
func TestFenceMoves(t *testing.T) {
	fenced(t, func(f *fence) {
		rng := rand.New(rand.NewPCG(1, 2))
		fenceMoves[float32, float64](f, rng, 90)
		fenceMoves[uint8, uint8](f, rng, 40)
		fenceMoves[int64, int64](f, rng, 40)
	})
}

// fenceMoves moves elements of one type, and for comparison of another.
func fenceMoves[T, R Number](f *fence, rng *rand.Rand, cases int) {
	name := func(kernel string) string { return fmt.Sprintf("%s of %T", kernel, T(0)) }
	for i := range cases {
		shape := []int{1 + rng.IntN(4), 1 + rng.IntN(40), 1 + i}
		if i%3 == 0 {
			shape[0], shape[1] = 1+rng.IntN(30), 1+rng.IntN(5)
		}
		n, inner := sizeOf(shape), shape[2]
		x := make([]T, n)
		for i := range x {
			x[i] = T(rng.IntN(100))
		}
		perm := rng.Perm(3)
		f.run(name("Transpose"), 0, Transpose[T], Transpose[R], make([]T, n), x, shape, perm)
		f.run(name("Transpose of a matrix"), 0, Transpose[T], Transpose[R], make([]T, n), x, []int{shape[0] * shape[1], shape[2]}, []int{1, 0})
		size, start, step := make([]int, 3), make([]int, 3), make([]int, 3)
		before, padded, repeats, tiled := make([]int, 3), make([]int, 3), make([]int, 3), make([]int, 3)
		for a, d := range shape {
			start[a], step[a] = rng.IntN(d), 1+rng.IntN(2)
			size[a] = (d - start[a] + step[a] - 1) / step[a]
			if rng.IntN(4) == 0 { // backwards
				step[a], size[a] = -1, start[a]+1
			}
			before[a] = rng.IntN(3)
			padded[a] = before[a] + d + rng.IntN(3)
			repeats[a] = 1 + rng.IntN(3)
			tiled[a] = repeats[a] * d
		}
		f.run(name("Slice"), 0, Slice[T], Slice[R], make([]T, sizeOf(size)), x, shape, size, start, step)
		for mode := PadConstant; mode <= PadWrap; mode++ {
			if mode == PadReflect && min(shape[0], shape[1], shape[2]) < 2 {
				continue
			}
			f.run(name("Pad"), 0, Pad[T], Pad[R], make([]T, sizeOf(padded)), x, []T{7}, shape, padded, before, mode)
		}
		f.run(name("Tile"), 0, Tile[T], Tile[R], make([]T, sizeOf(tiled)), x, shape, repeats)
		for kept := range 8 {
			old := []int{1, 1, 1}
			for a := range old {
				if kept>>a&1 == 1 {
					old[a] = shape[a]
				}
			}
			f.run(name("Expand"), 0, Expand[T], Expand[R], make([]T, n), x[:sizeOf(old)], shape, old)
			cond := make([]bool, sizeOf(old))
			for i := range cond {
				cond[i] = rng.IntN(2) == 0
			}
			f.run(name("Where"), 0, Where[T], Where[R], make([]T, n), cond, x, x[:sizeOf(old)], shape, old, shape, old)
			f.run(name("Broadcast"), 0, broadcastAdd[T], broadcastAdd[R], make([]T, n), x, x[:sizeOf(old)], shape, shape, old)
		}
		index := make([]int32, 1+rng.IntN(9))
		for i := range index {
			index[i] = int32(rng.IntN(2*shape[1]) - shape[1])
		}
		f.run(name("Gather"), 0, Gather[T, int32], Gather[R, int32], make([]T, shape[0]*len(index)*inner), x, index, shape[0], shape[1], inner)
		picked := make([]int64, n)
		for i := range picked {
			picked[i] = int64(rng.IntN(shape[1]))
		}
		f.run(name("GatherElements"), 0, GatherElements[T, int64], GatherElements[R, int64], make([]T, n), x, picked, shape, shape, 1)
		f.run(name("ScatterElements"), 0, ScatterElements[T, int64], ScatterElements[R, int64], make([]T, n), x, picked, shape, shape, 1)
		places := make([]int64, 2*5)
		for i := range places {
			places[i] = int64(rng.IntN(shape[i%2]))
		}
		f.run(name("GatherND"), 0, GatherND[T, int64], GatherND[R, int64], make([]T, 5*inner), x, places, 1, 5, 2, shape)
		f.run(name("ScatterND"), 0, ScatterND[T, int64], ScatterND[R, int64], make([]T, n), x[:min(n, inner)], places[:2], 1, 2, shape)
		k := 1 + rng.IntN(shape[1])
		f.run(name("TopK"), 0, TopK[T], TopK[R], make([]T, shape[0]*k*inner), make([]int64, shape[0]*k*inner), x, shape[0], shape[1], k, inner, i%2 == 0)
		f.run(name("CumSum"), 0, CumSum[T, int64], CumSum[R, int64], make([]T, n), x, []int64{int64(rng.IntN(3))}, shape, i%2 == 0, i%4 < 2)
		f.run(name("Trilu"), 0, Trilu[T], Trilu[R], make([]T, n), x, []int64{int64(i%5 - 2)}, shape[1], shape[2], i%2 == 0)
		from, to := rng.IntN(inner), rng.IntN(3)
		count := rng.IntN(inner - from + 1)
		f.run(name("CopyRows"), 0, CopyRows[T], CopyRows[R], make([]T, shape[0]*shape[1]*(to+count+1)), x, shape[0]*shape[1], count, to+count+1, to, inner, from)
	}
}

func broadcastAdd[T Number](dst, a, b []T, shape, as, bs []int) {
	Broadcast(dst, a, b, Add[T], shape, as, bs)
}

// Interpolations stay within their slices.
func TestFenceResize(t *testing.T) {
	fenced(t, func(f *fence) {
		rng := rand.New(rand.NewPCG(3, 4))
		for i := range 100 {
			outer, in, n, across := 1+rng.IntN(3), 1+rng.IntN(20), 1+rng.IntN(40), []int{1, 1 + i}[i%2]
			p := ResizeLine{In: in, Out: n, Coord: ResizeHalfPixel, Filter: []ResizeFilter{ResizeLinear, ResizeCubic}[i/2%2], CubicA: -0.75}
			scale, first, weights := []float64{float64(n) / float64(in)}, make([]int64, n), make([]float64, 8*n)
			ResizeWeights(weights, first, scale, nil, p)
			x, dy := randoms(rng, outer*in*across), randoms(rng, outer*n*across)
			f.run("ResizeAxis", 1e-4, ResizeAxis[float32], ResizeAxis[float64], unwritten(len(dy)), x, narrow32(weights), first, scale, p, outer, across)
			f.run("ResizeAxisGrad", 1e-4, ResizeAxisGrad[float32], ResizeAxisGrad[float64], make([]float32, len(x)), dy, narrow32(weights), first, scale, p, outer, across)
			s := GridShape{Batches: 1, Channels: 1 + i%5, Points: 1 + i, In: []int{1 + i%7, 1 + i%11}, Align: i%2 == 0}
			f.run("GridSample", 1e-3, GridSample[float32], GridSample[float64], unwritten(s.Channels*s.Points), randoms(rng, s.Channels*sizeOf(s.In)), randoms(rng, 2*s.Points), s)
			a := RoiAlignParams{Batches: 1, Channels: 1 + i%3, Height: 1 + i%7, Width: 1 + i%9, OutHeight: 2, OutWidth: 3, Samples: 2, Scale: 1}
			f.run("RoiAlign", 1e-4, RoiAlign[float32, int64], RoiAlign[float64, int64], unwritten(a.Channels*6), randoms(rng, a.Channels*a.Height*a.Width), []float32{0, 0, 3.5, 4.25}, []int64{0}, a)
		}
	})
}
