package tensor

import "unsafe"

// Large is from how many bytes on a value is a large one. Frames do not copy
// those to hand them on: once it is set, nobody writes to a large value as long as
// anybody reads it. So whoever reads it may share it, and the last one lets it go:
// to the garbage collector, or to another value where its [Memory] is counted.
// Smaller values are copied, and their memory is used again.
const Large = 64 << 10

// large is Large, but where a test has all values shared: see [Poison].
var large = Large

// AreLarge reports whether a value of n bytes is a [Large] one.
func AreLarge(n int) bool { return n >= large }

// IsLarge reports whether a tensor is a large value.
func (d Dense[T]) IsLarge() bool { return isLarge(d.Data) }

func isLarge[T Element](x []T) bool { return AreLarge(len(bytesOf(x))) }

// Narrow is the first half of the memory of x, for as many float32s. A loop that
// makes each of the element at its place may go over both at once.
func Narrow(x []float64) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}
