package cpu

// Reduction tells how a scattered value is combined with the present one.
type Reduction int

// The reductions.
const (
	ReduceAdd Reduction = iota
	ReduceMul
	ReduceMax
	ReduceMin
)

// ScatterElements writes one element for each index. dst is the tensor that is changed, shape its shape,
// ishape that of index and updates.
//
//	dst[i, index[i, j]] = updates[i, j]   for axis = 1
func ScatterElements[T any, I Index](dst, updates []T, index []I, ishape, shape []int, axis int) {
	var w rowWalk
	along, by := elementRows(&w, "ScatterElements", ishape, shape, axis)
	n := shape[axis]
	for r := range w.rows {
		at := w.at
		row := updates[r*w.n:][:w.n]
		for j, i := range index[r*w.n:][:w.n] {
			dst[at+wrap("ScatterElements", toInt(i), n)*by] = row[j]
			at += along
		}
		w.next()
	}
}

// ScatterElementsReduce is [ScatterElements] with a reduction.
func ScatterElementsReduce[T Number, I Index](dst, updates []T, index []I, ishape, shape []int, axis int, how Reduction) {
	var w rowWalk
	along, by := elementRows(&w, "ScatterElements", ishape, shape, axis)
	n := shape[axis]
	for r := range w.rows {
		at := w.at
		row := updates[r*w.n:][:w.n]
		for j, i := range index[r*w.n:][:w.n] {
			d := &dst[at+wrap("ScatterElements", toInt(i), n)*by]
			*d = reduce(*d, row[j], how)
			at += along
		}
		w.next()
	}
}

// ScatterND writes n slices to the places that rows of k indices select. dst is the tensor that is changed,
// shape its shape.
//
//	dst[index[i, 0], …, index[i, k-1]] = updates[i]
func ScatterND[T any, I Index](dst, updates []T, index []I, n, k int, shape []int) {
	var step [maxRank]int
	strides(step[:], shape)
	part := volume(shape[k:])
	for i := range n {
		at := placeND("ScatterND", index[i*k:][:k], shape, step[:])
		copy(dst[at:][:part], updates[i*part:])
	}
}

// ScatterNDReduce is [ScatterND] with a reduction.
func ScatterNDReduce[T Number, I Index](dst, updates []T, index []I, n, k int, shape []int, how Reduction) {
	var step [maxRank]int
	strides(step[:], shape)
	part := volume(shape[k:])
	for i := range n {
		at := placeND("ScatterND", index[i*k:][:k], shape, step[:])
		out := dst[at:][:part]
		for j, v := range updates[i*part:][:part] {
			out[j] = reduce(out[j], v, how)
		}
	}
}

func reduce[T Number](a, b T, how Reduction) T {
	switch how {
	case ReduceAdd:
		return a + b
	case ReduceMul:
		return a * b
	case ReduceMax:
		return max(a, b)
	}
	return min(a, b)
}

// TensorScatterShape is the sizes of [TensorScatter].
type TensorScatterShape struct {
	Batches, Blocks int
	Rows, N         int // of a block of the cache, and new ones
	Inner           int // elements of a row
}

// TensorScatter writes a run of new rows into each block of a cache, from row at[b] on for batch b, or from the
// first row on if at is nil. dst is the cache: [batches, blocks, rows, inner]; update is [batches, blocks, n,
// inner].
func TensorScatter[T any](dst, update []T, at []int64, s TensorScatterShape, circular bool) {
	for b := range s.Batches {
		var begin int64
		if at != nil {
			begin = at[b]
		}
		if circular {
			n := int64(max(s.Rows, 1)) // where there are no rows, there is nothing to write
			begin = (begin%n + n) % n
		}
		from := toInt(begin)
		if from < 0 || s.N > s.Rows || !circular && from > s.Rows-s.N {
			fail("TensorScatter", "cannot write %d rows from row %d of %d", s.N, begin, s.Rows)
		}
		first := min(s.N, s.Rows-from) // the other rows go to the beginning
		for k := b * s.Blocks; k < (b+1)*s.Blocks; k++ {
			cache, rest := dst[k*s.Rows*s.Inner:][:s.Rows*s.Inner], update[k*s.N*s.Inner:][:s.N*s.Inner]
			copy(cache[from*s.Inner:], rest[:first*s.Inner])
			copy(cache, rest[first*s.Inner:])
		}
	}
}
