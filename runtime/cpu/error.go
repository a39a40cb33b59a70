package cpu

import (
	"fmt"
	"strconv"
)

// Error is the panic of a kernel whose data are invalid, such as an index out of range. The generated Run
// recovers it and returns it.
type Error struct {
	Kernel string
	Msg    string
}

// Error returns the message.
func (e *Error) Error() string { return e.Kernel + ": " + e.Msg }

func fail(kernel, format string, args ...any) {
	panic(&Error{kernel, fmt.Sprintf(format, args...)})
}

// failAxis panics for an axis that a tensor of the rank does not have.
func failAxis(kernel string, axis, rank int) {
	if rank == 0 {
		fail(kernel, "axis is %d, and a scalar has no axes", axis)
	}
	fail(kernel, "axis is %d, want -%d to %d", axis, rank, rank-1)
}

// listed returns s as text. If a message held s itself, s would escape to the heap in every call of the
// kernel.
func listed[T Integer | int](s []T) string {
	b := []byte{'['}
	for i, v := range s {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, int64(v), 10)
	}
	return string(append(b, ']'))
}
