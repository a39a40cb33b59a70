package cpu

import "math"

// softplus32 is [Softplus] for float32, up to an error of 1e-6 of the result: max(x, 0) + log(1+e), where e is exp(-|x|).
// Rounding 1+e loses digits of a small e, so the logarithm is multiplied by the quotient of e and what is left of it.
func softplus32(dst, x []float32) {
	var buffers [4][256]float32
	for x = x[:len(dst)]; len(dst) > 0; {
		n := min(len(dst), len(buffers[0]))
		e, sum, left, top := buffers[0][:n], buffers[1][:n], buffers[2][:n], buffers[3][:n]
		for i, v := range x[:n] {
			e[i] = math.Float32frombits(math.Float32bits(v) | 1<<31) // -|v|
		}
		VecExp32(e, e)
		VecAddS32(left, e, 1)
		VecLog32(sum, left)
		VecSubS32(left, left, 1)
		VecDiv32(top, e, left)
		VecMul32(sum, sum, top)
		VecMaxS32(top, x[:n], 0)
		for i, v := range left {
			s := sum[i]
			if v == 0 {
				s = e[i]
			}
			dst[i] = top[i] + s
		}
		dst, x = dst[n:], x[n:]
	}
}
