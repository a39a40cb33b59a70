package cpu

import "github.com/bbgen/bbgen/runtime/tensor"

// CheckEqual fails if a size that a kernel relies on is not what it wants: what
// says of what it is the size.
func CheckEqual(what string, got, want int) {
	if got != want {
		fail("CheckEqual", "%s are %d, want %d", what, got, want)
	}
}

// CheckBroadcast is [CheckEqual] for a size that may be 1 as well.
func CheckBroadcast(what string, got, want int) {
	if got != want && got != 1 {
		fail("CheckBroadcast", "%s are %d, want %d or 1", what, got, want)
	}
}

// CheckRoom fails if a tensor whose shape the data say, with elements of so many bytes,
// is larger than tensors may be.
func CheckRoom(size int, shape []int) {
	if err := tensor.CheckSize(size, shape); err != nil {
		fail("CheckRoom", "%s", err.Error())
	}
}
