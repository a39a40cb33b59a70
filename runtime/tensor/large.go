package tensor

import "unsafe"

// Large is the size in bytes from which on a value is large. Frames do not copy large values to pass them on: a
// large value must not be changed after it was set, as long as it has readers. So readers may share it. Without
// readers its memory is left to the garbage collector, or is reused for another value if its [Memory] has a
// reference count. Smaller values are copied, and their memory is reused.
const Large = 64 << 10

// AreLarge reports whether a value of n bytes is a [Large] one. In tests smaller ones are large as well: see [Poison].
func AreLarge(n int) bool {
	if from := poisonFrom.Load(); from > 0 {
		return n >= int(from)
	}
	return n >= Large
}

// IsLarge reports whether a tensor is a large value.
func (d Dense[T]) IsLarge() bool { return isLarge(d.Data) }

func isLarge[T Element](x []T) bool { return AreLarge(len(bytesOf(x))) }

// Narrow returns the first half of the memory of x as float32s. A loop may write element i of the result after
// it has read element i of x.
func Narrow(x []float64) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}
