package cpu

import "math"

// Random numbers depend only on a seed and on their place in dst: element i comes from block i/2 of Philox
// 4x32-10.

// philox returns a block of the stream of a seed.
func philox(seed, block int) (a, b uint64) {
	k0, k1 := uint32(seed), uint32(uint64(seed)>>32)
	c := [4]uint32{uint32(block), uint32(uint64(block) >> 32)}
	for range 10 {
		x, y := 0xd2511f53*uint64(c[0]), 0xcd9e8d57*uint64(c[2])
		c = [4]uint32{uint32(y>>32) ^ c[1] ^ k0, uint32(y), uint32(x>>32) ^ c[3] ^ k1, uint32(x)}
		k0, k1 = k0+0x9e3779b9, k1+0xbb67ae85
	}
	return uint64(c[0])<<32 | uint64(c[1]), uint64(c[2])<<32 | uint64(c[3])
}

// unit returns a number x with 0 ≤ x < 1, with all bits that a float32 or a float64 can represent there.
func unit[T Float](bits uint64) T {
	if _, ok := any(T(0)).(float32); ok {
		return T(bits>>40) / (1 << 24)
	}
	return T(bits>>11) / (1 << 53)
}

// draws is the number of numbers that are drawn at once.
const draws = 64

// draw fills u with numbers i, i+1, … of a stream, from 0 to 1. Index i is even.
func draw[T Float](u []T, i, seed int) {
	for k := 0; k < len(u); k += 2 {
		a, b := philox(seed, (i+k)/2)
		u[k] = unit[T](a)
		if k+1 < len(u) {
			u[k+1] = unit[T](b)
		}
	}
}

// RandomUniform draws numbers from low to before high.
func RandomUniform[T Float](dst []T, low, high float64, seed int) {
	draw(dst, 0, seed)
	part := T(1)
	if math.IsInf(float64(T(high-low)), 0) {
		part = 0.5 // the distance has no float, that of the halves has
	}
	from, span, last := T(low)*part, T(high*float64(part)-low*float64(part)), towards(T(high), T(low))
	for i, u := range dst {
		v := (from + T(u*span)) / part
		if low < high {
			v = min(v, last) // the sum may be rounded up to high
		} else {
			v = max(v, last)
		}
		dst[i] = v
	}
}

// towards returns the float after x in the direction of y.
func towards[T Float](x, y T) T {
	if _, ok := any(x).(float32); ok {
		return T(math.Nextafter32(float32(x), float32(y)))
	}
	return T(math.Nextafter(float64(x), float64(y)))
}

// RandomNormal draws numbers of a normal distribution, by the method of Box and Muller.
func RandomNormal[T Float](dst []T, mean, scale float64, seed int) {
	for i := 0; i < len(dst); i += 2 {
		a, b := philox(seed, i/2)
		r := scale * math.Sqrt(-2*math.Log(1-unit[float64](a)))
		sin, cos := math.Sincos(2 * math.Pi * unit[float64](b))
		dst[i] = T(mean + float64(r*cos))
		if i+1 < len(dst) {
			dst[i+1] = T(mean + float64(r*sin))
		}
	}
}

// Bernoulli draws 1 with probability p[i], else 0.
func Bernoulli[D Number, T Float](dst []D, p []T, seed int) {
	var u [draws]T
	for at := 0; at < len(dst); at += draws {
		d := dst[at:min(at+draws, len(dst))]
		draw(u[:len(d)], at, seed)
		for i, p := range p[at : at+len(d)] {
			d[i] = 0
			if u[i] < p {
				d[i] = 1
			}
		}
	}
}

// Multinomial draws, for each row of x, indices of its columns with
// probabilities in proportion to exp(x). The scratch sums is a row.
func Multinomial[D Index, T Float](dst []D, x []T, sums []float64, rows, cols, seed int) {
	if len(dst) == 0 {
		return
	}
	if cols == 0 {
		fail("Multinomial", "there is nothing to draw from")
	}
	var u [2]float64
	n := len(dst) / rows
	for i := range dst {
		if i%n == 0 {
			expSums(sums, x[i/n*cols:(i/n+1)*cols])
		}
		if i%2 == 0 {
			draw(u[:], i, seed)
		}
		at, end := 0, cols-1 // the first sum above the drawn number
		for at < end {
			mid := (at + end) / 2
			if sums[mid] > u[i%2]*sums[cols-1] {
				end = mid
			} else {
				at = mid + 1
			}
		}
		dst[i] = D(at)
	}
}

// expSums is sums[i] = exp(x[0]) + … + exp(x[i]), all divided by the largest.
func expSums[T Float](sums []float64, x []T) {
	top, s := float64(largest(x)), 0.0
	for i, v := range x {
		s += math.Exp(float64(v) - top)
		sums[i] = s
	}
}

// Dropout clears elements of x with the probability ratio, and divides the others by 1-ratio. If mask is not
// nil, it tells which are kept. Without a ratio it is 1/2. Unless training is true, all elements are kept.
func Dropout[T Float](dst []T, mask []bool, x, ratio []T, training []bool, seed int) {
	p := T(0.5)
	if len(ratio) > 0 {
		p = ratio[0]
	}
	if p <= 0 || len(training) == 0 || !training[0] {
		copy(dst, x)
		fill(mask, true)
		return
	}
	scale := 1 / (1 - p)
	var u [draws]T
	for at := 0; at < len(dst); at += draws {
		d := dst[at:min(at+draws, len(dst))]
		draw(u[:len(d)], at, seed)
		for i, v := range x[at : at+len(d)] {
			v *= scale
			if u[i] < p {
				v = 0
			}
			d[i] = v
			if mask != nil {
				mask[at+i] = u[i] >= p
			}
		}
	}
}
