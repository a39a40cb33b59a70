package cpu

import "github.com/bbgen/bbgen/runtime/tensor"

// Box makes dst a tensor of the given shape with the elements of x.
func Box[T tensor.Element](dst *tensor.Tensor, x []T, shape []int) {
	data, _ := dst.Data.([]T)
	dst.DType, dst.Shape, dst.Data = tensor.DTypeOf[T](), append(dst.Shape[:0], shape...), append(data[:0], x...)
}

// CopyBox makes dst a copy of src.
func CopyBox(dst, src *tensor.Tensor) { *dst = *src.Clone() }
