package cpu

import "math"

// MelWeightMatrix writes a column for each band: a triangle over the bins of a spectrum, which are the rows.
// The corners of the triangles are equally spaced on the mel scale, 2595·log10(1 + hertz/700). Each triangle
// begins at the peak of the previous one.
func MelWeightMatrix[T Number, I Index, F Float](dst []T, bands, length, rate []I, lower, upper []F) {
	n, rows := int(bands[0]), int(length[0])/2+1
	if rate[0] < 1 {
		fail("MelWeightMatrix", "sample rate is %d, want at least 1", rate[0])
	}
	low, high := hertzToMel(float64(lower[0])), hertzToMel(float64(upper[0]))
	bin := func(i int) int {
		mel := low + (high-low)/float64(n+2)*float64(i)
		hertz := 700 * math.Expm1(mel/2595*math.Ln10)
		b := math.Floor(float64(length[0]+1) * hertz / float64(rate[0]))
		if !(b >= 0 && b < float64(rows)) {
			fail("MelWeightMatrix", "band %d is at %v Hz, beyond the %d bins of the spectrum", i, hertz, rows)
		}
		return int(b)
	}
	clear(dst)
	for i := range n {
		left, peak, right := bin(i), bin(i+1), bin(i+2)
		for j := left; j < peak; j++ {
			dst[j*n+i] = T(float64(j-left) / float64(peak-left))
		}
		for j := peak + 1; j < right; j++ {
			dst[j*n+i] = T(float64(right-j) / float64(right-peak))
		}
		dst[peak*n+i] = 1
	}
}

func hertzToMel(f float64) float64 { return 2595 * math.Log1p(f/700) / math.Ln10 }
