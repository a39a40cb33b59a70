//go:build amd64 && !purego

package cpu

//go:generate env GOWORK=off go -C _asm run ./convplanes -out ../convplanes_amd64.s

// planeFilters returns how many of some filters, a multiple of 8, a kernel computes together, and the pixels of its tiles. It
// returns 0, 0 if there are no kernels.
func planeFilters(filters int) (together, pixels int) {
	switch {
	case level == AVX512 && filters > 16:
		return min(filters, 32), 14
	case level == AVX512:
		return filters, 16
	case level == AVX2 && filters >= 16:
		return 16, 6
	case level == AVX2:
		return filters, 12
	}
	return 0, 0
}

// run computes tiles of pixels for some filters.
func (t *planeTile) run(pixels, filters int) {
	switch {
	case level == AVX512 && filters == 32:
		planesNx32AVX512(t, pixels)
	case level == AVX512 && filters == 24:
		planesNx24AVX512(t, pixels)
	case level == AVX512 && filters == 16:
		planesNx16AVX512(t, pixels)
	case level == AVX512:
		planesNx8AVX512(t, pixels)
	case filters == 16:
		planesNx16AVX2(t, pixels)
	default:
		planesNx8AVX2(t, pixels)
	}
}
