package cpu

// softplus32 is [Softplus] for float32, up to an error of 1e-6 of the result: max(x, 0) + log(1+e), where e is exp(-|x|).
// Rounding 1+e loses digits of a small e, so e is multiplied by the quotient of that logarithm and what is left of e. Both are
// increased by so little that only zeros change, whose quotient is 1 then.
func softplus32(dst, x []float32) {
	const little = 1e-30
	var buffers [3][256]float32
	for x = x[:len(dst)]; len(dst) > 0; {
		n := min(len(dst), len(buffers[0]))
		e, sum, left := buffers[0][:n], buffers[1][:n], buffers[2][:n]
		VecRSubS32(e, x[:n], 0)
		VecMin32(e, e, x[:n]) // -|x|
		VecExp32(e, e)
		VecAddS32(left, e, 1)
		VecLog32(sum, left)
		VecSubS32(left, left, 1)
		VecAddS32(sum, sum, little)
		VecAddS32(left, left, little)
		VecDiv32(sum, sum, left)
		VecMul32(e, e, sum)
		VecMaxS32(sum, x[:n], 0)
		VecAdd32(dst[:n], sum, e)
		dst, x = dst[n:], x[n:]
	}
}
