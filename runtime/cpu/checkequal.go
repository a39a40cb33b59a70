package cpu

import "github.com/bbgen/bbgen/runtime/tensor"

// CheckEqual panics with an [Error] if a size that a kernel relies on differs from want; what names the size.
func CheckEqual(what string, got, want int) {
	if got != want {
		fail("CheckEqual", "%s are %d, want %d", what, got, want)
	}
}

// CheckBroadcast is [CheckEqual] for a size that may also be 1.
func CheckBroadcast(what string, got, want int) {
	if got != want && got != 1 {
		fail("CheckBroadcast", "%s are %d, want %d or 1", what, got, want)
	}
}

// CheckRoom panics with an [Error] if a tensor of a shape that depends on data, with elements of size bytes,
// would be larger than tensors may be. For strings size is 0, as in [tensor.CheckSize].
func CheckRoom(size int, shape []int) {
	if err := tensor.CheckSize(size, shape); err != nil {
		fail("CheckRoom", "%s", err.Error())
	}
}
