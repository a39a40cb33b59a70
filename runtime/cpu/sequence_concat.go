package cpu

import "github.com/bbgen/bbgen/runtime/tensor"

// ConcatSequenceDim returns the size of an axis of the items of src, which have the given rank: with sum the
// sum over all items, otherwise that of the first item.
func ConcatSequenceDim(src *tensor.Sequence, rank, axis int, sum bool) int {
	if len(src.Items) == 0 {
		fail("ConcatFromSequence", "the sequence is empty")
	}
	n := itemDim("ConcatFromSequence", src.Items[0], rank, axis)
	if sum {
		for _, item := range src.Items[1:] {
			n += itemDim("ConcatFromSequence", item, rank, axis)
		}
	}
	return n
}

// ConcatSequence concatenates the items of src along an axis, which is a new one if stack:
//
//	for o := range outer {
//		for _, item := range src {
//			dst = append(dst, item[o*n:(o+1)*n]...)
//		}
//	}
//
// where shape is that of dst and n the number of elements of item after the outer axes.
func ConcatSequence[T any](dst []T, src *tensor.Sequence, shape []int, axis int, stack bool) {
	var want [maxRank]int
	item := want[:copy(want[:], shape)]
	if stack {
		item = append(item[:axis], shape[axis+1:]...)
	}
	outer, inner := 1, 1
	for _, n := range shape[:axis] {
		outer *= n
	}
	for _, n := range shape[axis+1:] {
		inner *= n
	}
	at := 0
	for _, v := range src.Items {
		size := 1
		if !stack {
			size = itemDim("ConcatFromSequence", v, len(shape), axis)
			item[axis] = size
		}
		data := itemData[T]("ConcatFromSequence", v, item)
		if at+size > shape[axis] {
			fail("ConcatFromSequence", "items are longer than the %d of the result", shape[axis])
		}
		for o := range outer {
			copy(dst[(o*shape[axis]+at)*inner:], data[o*size*inner:(o+1)*size*inner])
		}
		at += size
	}
	if at != shape[axis] {
		fail("ConcatFromSequence", "items give %d along axis %d, want %d", at, axis, shape[axis])
	}
}

// SplitSequence splits x along an axis: into pieces of the given sizes, or, if even, into pieces of one size,
// of which the last may be smaller.
func SplitSequence[T tensor.Element, I Index](dst *tensor.Sequence, x []T, sizes []I, shape []int, axis int, even bool) {
	dst.Elem = tensor.DTypeOf[T]()
	dst.Items = dst.Items[:0]
	at, n := 0, shape[axis]
	if even {
		size := toInt(sizes[0])
		if size <= 0 {
			fail("SplitToSequence", "split is %d, want more than 0", size)
		}
		for ; at < n; at += size {
			dst.Items = append(dst.Items, cut(x, shape, axis, at, min(size, n-at)))
		}
		return
	}
	for _, size := range sizes {
		if size < 0 || toInt(size) > n-at {
			fail("SplitToSequence", "split is %s, want sizes that add up to %d", listed(sizes), n)
		}
		dst.Items = append(dst.Items, cut(x, shape, axis, at, int(size)))
		at += int(size)
	}
	if at != n {
		fail("SplitToSequence", "split is %s, want sizes that add up to %d", listed(sizes), n)
	}
}

// UnstackSequence makes dst the list of the slices of x along an axis, which is removed unless keepDims.
func UnstackSequence[T tensor.Element](dst *tensor.Sequence, x []T, shape []int, axis int, keepDims bool) {
	dst.Elem = tensor.DTypeOf[T]()
	dst.Items = dst.Items[:0]
	for at := range shape[axis] {
		t := cut(x, shape, axis, at, 1)
		if !keepDims {
			t.Shape = append(t.Shape[:axis], t.Shape[axis+1:]...)
		}
		dst.Items = append(dst.Items, t)
	}
}

// cut returns x[…, at:at+n, …] along an axis.
func cut[T tensor.Element](x []T, shape []int, axis, at, n int) *tensor.Tensor {
	outer, inner := 1, 1
	for _, s := range shape[:axis] {
		outer *= s
	}
	for _, s := range shape[axis+1:] {
		inner *= s
	}
	data := make([]T, outer*n*inner)
	for o := range outer {
		copy(data[o*n*inner:(o+1)*n*inner], x[(o*shape[axis]+at)*inner:])
	}
	t := tensor.Of(data, len(data))
	t.Shape = append([]int{}, shape...)
	t.Shape[axis] = n
	return t
}
