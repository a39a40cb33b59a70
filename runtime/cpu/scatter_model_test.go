package cpu

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestScatterReduceRandom compares scattered values with a loop over indices of tensors, with many duplicates, for all reductions
// and types.
func TestScatterReduceRandom(t *testing.T) {
	t.Run("int8", testScatterRandom[int8])
	t.Run("uint64", testScatterRandom[uint64])
	t.Run("int32", testScatterRandom[int32])
	t.Run("float32", testScatterRandom[float32])
	t.Run("float64", testScatterRandom[float64])
}

// combined is the value of a place after an update; with none it is the update.
func combined[T Number](have, v T, how Reduction, none bool) T {
	switch {
	case none:
		return v
	case how == ReduceAdd:
		return have + v
	case how == ReduceMul:
		return have * v
	case have != have || v != v: // NaN
		return have + v
	case how == ReduceMax && v > have, how == ReduceMin && v < have:
		return v
	}
	return have
}

func testScatterRandom[T Number](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	draw := func(n int) []T {
		x := make([]T, n)
		for i := range x {
			if x[i] = T(rng.IntN(7)); isFloat[T]() && rng.IntN(20) == 0 {
				x[i] = T([]float64{nan, inf, -inf, math.Copysign(0, -1)}[rng.IntN(4)])
			}
		}
		return x
	}
	for range 200 {
		shape := randomShape(rng, 1)
		axis := rng.IntN(len(shape))
		ishape := make([]int, len(shape))
		for k, n := range shape {
			if ishape[k] = rng.IntN(n + 1); k == axis {
				ishape[k] = rng.IntN(9) // as many as wanted
			}
		}
		index, updates, x := make([]int64, sizeOf(ishape)), draw(sizeOf(ishape)), draw(sizeOf(shape))
		for i := range index {
			index[i] = int64(rng.IntN(2*shape[axis]) - shape[axis])
		}
		for how := ReduceAdd; how <= ReduceMin+1; how++ {
			got, want := slices.Clone(x), slices.Clone(x)
			eachIndex(ishape, func(at int, i []int) {
				to := slices.Clone(i)
				if to[axis] = int(index[at]); to[axis] < 0 {
					to[axis] += shape[axis]
				}
				d := &want[placeIn(shape, to)]
				*d = combined(*d, updates[at], how, how > ReduceMin)
			})
			if how > ReduceMin {
				ScatterElements(got, updates, index, ishape, shape, axis)
			} else {
				ScatterElementsReduce(got, updates, index, ishape, shape, axis, how)
			}
			sameElements(t, fmt.Sprint("ScatterElements of ", ishape, " into ", shape, " along ", axis, how), got, want)
		}
		testScatterND(t, rng, shape, x, draw)
	}
}

func testScatterND[T Number](t *testing.T, rng *rand.Rand, shape []int, x []T, draw func(n int) []T) {
	k, n := rng.IntN(len(shape)+1), rng.IntN(6)
	part := sizeOf(shape[k:])
	index, updates := make([]int32, n*k), draw(n*part)
	for i := range index {
		index[i] = int32(rng.IntN(2*shape[i%k]) - shape[i%k])
	}
	places := make([][]int, n) // of the elements of each slice
	for i := range places {
		eachIndex(shape, func(at int, to []int) {
			for a, w := range index[i*k:][:k] {
				if int(w) != to[a] && int(w)+shape[a] != to[a] {
					return
				}
			}
			places[i] = append(places[i], at)
		})
	}
	for how := ReduceAdd; how <= ReduceMin+1; how++ {
		got, want := slices.Clone(x), slices.Clone(x)
		for i, to := range places {
			for j, at := range to {
				want[at] = combined(want[at], updates[i*part+j], how, how > ReduceMin)
			}
		}
		if how > ReduceMin {
			ScatterND(got, updates, index, n, k, shape)
		} else {
			ScatterNDReduce(got, updates, index, n, k, shape, how)
		}
		sameElements(t, fmt.Sprint("ScatterND of ", n, " rows of ", k, " into ", shape, how), got, want)
	}
	// What was written last can be read back, where rows differ.
	got, back := slices.Clone(x), make([]T, n*part)
	ScatterND(got, updates, index, n, k, shape)
	GatherND(back, got, index, 1, n, k, shape)
	for i, to := range places {
		for j := i + 1; j < n; j++ {
			if slices.Equal(places[j], to) {
				to = nil // a later row overwrote it
			}
		}
		if to != nil {
			sameElements(t, "GatherND after ScatterND", back[i*part:][:part], updates[i*part:][:part])
		}
	}
}

// TestTensorScatterRandom compares the rows of a cache with those written one by one, modulo its size if it is circular.
func TestTensorScatterRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		s := TensorScatterShape{Batches: 1 + rng.IntN(3), Blocks: 1 + rng.IntN(3), Rows: rng.IntN(6), Inner: 1 + rng.IntN(3)}
		s.N = rng.IntN(s.Rows + 1)
		circular := rng.IntN(2) == 0
		at := make([]int64, s.Batches)
		for b := range at {
			switch {
			case circular:
				at[b] = []int64{int64(rng.IntN(40)), -int64(rng.IntN(40)), math.MaxInt64, math.MinInt64}[rng.IntN(4)]
			default:
				at[b] = int64(rng.IntN(s.Rows - s.N + 1))
			}
		}
		if rng.IntN(4) == 0 {
			at = nil
		}
		cache, update := make([]int32, s.Batches*s.Blocks*s.Rows*s.Inner), make([]int32, s.Batches*s.Blocks*s.N*s.Inner)
		for i := range update {
			update[i] = int32(i + 1)
		}
		want := slices.Clone(cache)
		for i, v := range update {
			block, r, c := i/s.Inner/s.N, i/s.Inner%s.N, i%s.Inner
			to := big.NewInt(int64(r))
			if at != nil {
				to.Add(to, big.NewInt(at[block/s.Blocks]))
			}
			if circular {
				to.Mod(to, big.NewInt(int64(s.Rows))) // there are rows, as there is something to write
			}
			want[(block*s.Rows+int(to.Int64()))*s.Inner+c] = v
		}
		TensorScatter(cache, update, at, s, circular)
		equal(t, fmt.Sprintf("%+v at %d, circular %v", s, at, circular), cache, want...)
	}
}
