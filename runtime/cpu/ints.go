package cpu

// Ints writes sizes, which are int in generated code, into a tensor.
func Ints[T Index](dst []T, v []int) {
	for i, x := range v {
		dst[i] = T(x)
	}
}
