package cpu

import "math"

// softplus32 is [Softplus] for float32, up to an error of 1e-6 of the result: max(x, 0) + log(1+e), where e is exp(-|x|).
// Rounding 1+e loses digits of a small e, so the logarithm is multiplied by the quotient of e and what is left of it.
func softplus32(dst, x []float32) {
	var buffers [2][256]float32
	for x = x[:len(dst)]; len(dst) > 0; {
		n := min(len(dst), len(buffers[0]))
		e, l := buffers[0][:n], buffers[1][:n]
		for i, v := range x[:n] {
			e[i] = math.Float32frombits(math.Float32bits(v) | 1<<31) // -|v|
		}
		VecExp32(e, e)
		for i, v := range e {
			l[i] = 1 + v
		}
		VecLog32(l, l)
		for i, v := range x[:n] {
			sum := e[i]
			if left := (1 + e[i]) - 1; left != 0 {
				sum = l[i] * (e[i] / left)
			}
			dst[i] = max(v, 0) + sum
		}
		dst, x = dst[n:], x[n:]
	}
}
