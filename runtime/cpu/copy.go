package cpu

// Copy is
//
//	copy(dst, src)
//
// for operands of one length.
func Copy[T any](dst, src []T) { copy(dst, src[:len(dst)]) }
