package cpu

import "fmt"

// Error is what a kernel panics with when data makes its work impossible, such
// as an index out of range. The generated Run recovers it and returns it.
type Error struct {
	Kernel string
	Msg    string
}

// Error is the message.
func (e *Error) Error() string { return e.Kernel + ": " + e.Msg }

func fail(kernel, format string, args ...any) {
	panic(&Error{kernel, fmt.Sprintf(format, args...)})
}
