//go:build amd64 && !purego

package cpu

import "unsafe"

//go:generate env GOWORK=off go -C _asm run ./conv -out ../conv_amd64.s

// copyRows is [copyRowsGo].
func copyRows(dst, src []float32, n, rows, ldd, lds int) {
	if n <= 0 || rows <= 0 {
		return
	}
	_, _ = dst[(rows-1)*ldd+n-1], src[(rows-1)*lds+n-1]
	if !copyRowsAtLevel(unsafe.SliceData(dst), unsafe.SliceData(src), n, rows, ldd, lds) {
		copyRowsGo(dst, src, n, rows, ldd, lds)
	}
}

// weightedLines is [weightedLinesGo].
func weightedLines(dst, x, weights []float32, first []int64, taps, n int) {
	lines := len(first)
	if lines == 0 || n == 0 {
		return
	}
	_, _, _ = dst[lines*n-1], weights[lines*taps-1], x[(int(first[lines-1])+taps)*n-1]
	d, s, w := unsafe.SliceData(dst), unsafe.SliceData(x), unsafe.SliceData(weights)
	if !weightedLinesAtLevel(d, s, w, &first[0], lines, taps, n) {
		weightedLinesGo(dst, x, weights, first, taps, n)
	}
}

// interleave is [interleaveGo]. Elements after the last whole vector are copied by the vector that ends with
// them.
func interleave(dst, src []float32, k, n, lds int) {
	lanes := vectorBytes() / 4
	if lanes == 0 || n < lanes || k < 2 || k > 4 {
		interleaveGo(dst, src, k, n, lds)
		return
	}
	_, _ = dst[k*n-1], src[(k-1)*lds+n-1]
	whole := n &^ (lanes - 1)
	interleaveVectors(dst, src, k, whole, lds)
	if whole < n {
		interleaveVectors(dst[k*(n-lanes):], src[n-lanes:], k, lanes, lds)
	}
}

// interleaveVectors is interleave for a multiple of the elements of a vector.
func interleaveVectors(dst, src []float32, k, n, lds int) {
	d, s := unsafe.SliceData(dst), unsafe.SliceData(src)
	switch k {
	case 2:
		interleave2AtLevel(d, s, n, lds)
	case 3:
		interleave3AtLevel(d, s, n, lds)
	default:
		interleave4AtLevel(d, s, n, lds)
	}
}

// tapLanes returns the number of channels that a kernel processes at a time. Fewer channels have another
// kernel.
func tapLanes(channels int) int {
	switch {
	case level == AVX512 && channels >= 16:
		return 16
	case level != Portable && channels >= 8:
		return 8
	}
	return 1
}

// weighted folds the windows of a number of pixels: 1, 2, 4 or 8.
func (t *tapRun) weighted(pixels int) {
	switch lanes := tapLanes(t.channels); {
	case lanes == 1:
		t.weightedGo(pixels)
	case lanes == 16 && pixels == 8:
		tapsFMA8AVX512(t)
	case lanes == 16 && pixels == 4:
		tapsFMA4AVX512(t)
	case lanes == 16 && pixels == 2:
		tapsFMA2AVX512(t)
	case lanes == 16 && pixels == 1:
		tapsFMA1AVX512(t)
	case lanes == 8 && pixels == 8:
		tapsFMA8AVX2(t)
	case lanes == 8 && pixels == 4:
		tapsFMA4AVX2(t)
	case lanes == 8 && pixels == 2:
		tapsFMA2AVX2(t)
	default:
		tapsFMA1AVX2(t)
	}
}

// slideKernels reports whether there are sliding kernels for lines with this number of channels.
func slideKernels(channels int) bool { return tapLanes(channels) > 1 }

// slide folds the windows of up to maxSlide pixels. Windows are 3, 5 or 7 taps wide and one or two pixels
// apart.
func (t *tapRun) slide() {
	wide := tapLanes(t.channels) == 16
	switch taps, step := t.wRow/t.wTap, t.xPixel/t.xTap; {
	case taps == 3 && step == 1 && wide:
		slide3Step1AVX512(t)
	case taps == 3 && step == 1:
		slide3Step1AVX2(t)
	case taps == 3 && wide:
		slide3Step2AVX512(t)
	case taps == 3:
		slide3Step2AVX2(t)
	case taps == 5 && step == 1 && wide:
		slide5Step1AVX512(t)
	case taps == 5 && step == 1:
		slide5Step1AVX2(t)
	case taps == 5 && wide:
		slide5Step2AVX512(t)
	case taps == 5:
		slide5Step2AVX2(t)
	case step == 1 && wide:
		slide7Step1AVX512(t)
	case step == 1:
		slide7Step1AVX2(t)
	case wide:
		slide7Step2AVX512(t)
	default:
		slide7Step2AVX2(t)
	}
}

// largest folds the windows of a number of pixels: 1, 2, 4 or 8.
func (t *tapRun) largest(pixels int) {
	switch lanes := tapLanes(t.channels); {
	case lanes == 1:
		t.largestGo(pixels)
	case lanes == 16 && pixels == 8:
		tapsMax8AVX512(t)
	case lanes == 16 && pixels == 4:
		tapsMax4AVX512(t)
	case lanes == 16 && pixels == 2:
		tapsMax2AVX512(t)
	case lanes == 16 && pixels == 1:
		tapsMax1AVX512(t)
	case lanes == 8 && pixels == 8:
		tapsMax8AVX2(t)
	case lanes == 8 && pixels == 4:
		tapsMax4AVX2(t)
	case lanes == 8 && pixels == 2:
		tapsMax2AVX2(t)
	default:
		tapsMax1AVX2(t)
	}
}

// total folds the windows of a number of pixels: 1, 2, 4 or 8.
func (t *tapRun) total(pixels int) {
	switch lanes := tapLanes(t.channels); {
	case lanes == 1:
		t.totalGo(pixels)
	case lanes == 16 && pixels == 8:
		tapsSum8AVX512(t)
	case lanes == 16 && pixels == 4:
		tapsSum4AVX512(t)
	case lanes == 16 && pixels == 2:
		tapsSum2AVX512(t)
	case lanes == 16 && pixels == 1:
		tapsSum1AVX512(t)
	case lanes == 8 && pixels == 8:
		tapsSum8AVX2(t)
	case lanes == 8 && pixels == 4:
		tapsSum4AVX2(t)
	case lanes == 8 && pixels == 2:
		tapsSum2AVX2(t)
	default:
		tapsSum1AVX2(t)
	}
}
