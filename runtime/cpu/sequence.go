package cpu

import (
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// The values in a sequence or an optional never change: tensors are cloned when they are inserted and copied
// when they are read, so that lists may share them.

// CopySequence makes dst a copy of src.
func CopySequence(dst, src *tensor.Sequence) {
	dst.Elem = src.Elem
	dst.Items = append(dst.Items[:0], src.Items...)
}

// SequenceEmpty makes dst an empty list of tensors of the given dtype.
func SequenceEmpty(dst *tensor.Sequence, elem int) {
	dst.Elem = tensor.DType(elem)
	dst.Items = dst.Items[:0]
}

// SequenceAppend adds x to the end of dst.
func SequenceAppend(dst *tensor.Sequence, x *tensor.Tensor) {
	dst.Elem = x.DType
	dst.Items = append(dst.Items, x.Clone())
}

// SequenceInsert makes dst a copy of src with x inserted before position pos, which counts from the end if it
// is negative.
func SequenceInsert[I Index](dst, src *tensor.Sequence, x *tensor.Tensor, pos []I) {
	p, n := toInt(pos[0]), len(src.Items)
	if p < -n || p > n {
		fail("SequenceInsert", "position %d is out of range for %d items", p, n)
	}
	if p < 0 {
		p += n
	}
	CopySequence(dst, src)
	dst.Elem = x.DType
	dst.Items = slices.Insert(dst.Items, p, tensor.Value(x.Clone()))
}

// SequenceErase makes dst a copy of src without the item at pos.
func SequenceErase[I Index](dst, src *tensor.Sequence, pos []I) {
	p := position("SequenceErase", src, toInt(pos[0]))
	CopySequence(dst, src)
	dst.Items = slices.Delete(dst.Items, p, p+1)
}

// SequencePop makes dst a copy of src without its last item.
func SequencePop(dst, src *tensor.Sequence) {
	p := position("SequenceErase", src, -1)
	CopySequence(dst, src)
	dst.Items = dst.Items[:p]
}

// position returns p, which may count from the end, as an index of src.
func position(kernel string, src *tensor.Sequence, p int) int {
	n := len(src.Items)
	if p < -n || p >= n {
		fail(kernel, "position %d is out of range for %d items", p, n)
	}
	if p < 0 {
		p += n
	}
	return p
}

// SequenceLen returns the number of items of src.
func SequenceLen(src *tensor.Sequence) int { return len(src.Items) }

// SequenceLength writes the number of items of src.
func SequenceLength(dst []int64, src *tensor.Sequence) { dst[0] = int64(len(src.Items)) }

// SequenceDim returns the size of an axis of the item at pos, a tensor of the given rank.
func SequenceDim[I Index](src *tensor.Sequence, pos []I, rank, axis int) int {
	return itemDim("SequenceAt", src.Items[position("SequenceAt", src, toInt(pos[0]))], rank, axis)
}

// itemDim returns the size of an axis of a tensor, which must have the given rank.
func itemDim(kernel string, item tensor.Value, rank, axis int) int {
	t, ok := item.(*tensor.Tensor)
	if !ok || len(t.Shape) != rank {
		fail(kernel, "item is %v, want a tensor of rank %d", item, rank)
	}
	return t.Shape[axis]
}

// SequenceGet copies the item at pos, a tensor of the given shape.
func SequenceGet[T any, I Index](dst []T, src *tensor.Sequence, pos []I, shape []int) {
	copyItem("SequenceAt", dst, src.Items[position("SequenceAt", src, toInt(pos[0]))], shape)
}

// copyItem copies the elements of a tensor, which must have the given shape.
func copyItem[T any](kernel string, dst []T, item tensor.Value, shape []int) {
	copy(dst, itemData[T](kernel, item, shape))
}

// itemData returns the elements of a tensor of the given shape.
func itemData[T any](kernel string, item tensor.Value, shape []int) []T {
	t, ok := item.(*tensor.Tensor)
	if !ok || !slices.Equal(t.Shape, shape) {
		fail(kernel, "item is %v, want shape %s", item, listed(shape))
	}
	data, ok := t.Data.([]T)
	if !ok {
		fail(kernel, "item is %v, want elements of another type", item)
	}
	return data
}
