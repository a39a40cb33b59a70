package cpu

// Ints writes sizes that generated code knows as int into a tensor.
func Ints[T Index](dst []T, v []int) {
	for i, x := range v {
		dst[i] = T(x)
	}
}
