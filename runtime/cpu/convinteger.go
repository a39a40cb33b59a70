package cpu

import "unsafe"

// ConvInteger is [Conv] of 8-bit integers less their zero points, in int32,
// which wraps around. There is one zero point for the images, and one for all
// filters or for each; nil stands for zero. Padding is zero after the zero
// point is taken off.
func ConvInteger[X, W int8 | uint8](dst []int32, x []X, w []W, xzp []X, wzp []W, bias []int32, images, channels, filters, groups int, win Window) {
	if len(dst) == 0 {
		return
	}
	convIntegers(dst, x, w, xzp, bias, images, channels, filters, groups, win)
	if isZero(wzp, flipUnsigned[W]()) {
		return
	}
	shiftFilters(dst, x, xzp, wzp, images, channels, filters, groups, win)
}

// shiftFilters takes from dst what the zero points of the filters are more than
// what [convIntegers] reckons with, times the sum of what a filter meets:
//
//	Σ x(w-p) = Σ xw - p·Σ x
//
// These sums are a convolution with one filter of ones for each group.
func shiftFilters[X, W octet](dst []int32, x []X, xzp []X, wzp []W, images, channels, filters, groups int, win Window) {
	taps := channels / groups
	for _, k := range win.Kernel {
		taps *= k
	}
	t := filterShifts.get()
	*t = filterShift{dst: dst, plane: len(dst) / (images * filters), filters: filters, each: filters / groups}
	sumBuf, sums := scratchInts(images * groups * t.plane)
	shiftBuf, shifts := scratchInts(filters)
	oneBuf, ones := scratchBytes(groups * taps)
	fill(ones, 1)
	convIntegers(sums, x, unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(ones))), len(ones)), xzp, nil, images, channels, groups, groups, win)
	for m := range shifts {
		shifts[m] = int32(zeroPoint(wzp, m)) - int32(flipUnsigned[W]())
	}
	t.sums, t.shifts = sums, shifts
	parallel(images*filters, len(dst)/2, t)
	*t = filterShift{}
	filterShifts.put(t)
	scratch.put(sumBuf)
	scratch.put(shiftBuf)
	scratch.put(oneBuf)
}

var filterShifts freelist[filterShift]

// filterShift is the task of [shiftFilters]: a turn is one filter of one image.
type filterShift struct {
	dst, sums, shifts    []int32
	plane, filters, each int // filters of a group
}

func (t *filterShift) run(i int) {
	m, group := i%t.filters, i/t.each // counting the groups of all images
	d, s := t.dst[i*t.plane:][:t.plane], t.sums[group*t.plane:][:t.plane]
	by := t.shifts[m]
	if by == 0 {
		return
	}
	for k, v := range s {
		d[k] -= by * v
	}
}

// isZero reports whether all zero points are the given byte; none is 0.
func isZero[T octet](zp []T, zero byte) bool {
	for _, z := range zp {
		if byte(z) != zero {
			return false
		}
	}
	return len(zp) > 0 || zero == 0
}

// convIntegers is [ConvInteger] by way of [QConv], for filters that are int8
// with a zero point of 0, or uint8 with one of 128.
func convIntegers[X, W octet](dst []int32, x []X, w []W, xzp []X, bias []int32, images, channels, filters, groups int, win Window) {
	k := len(w) / filters
	buf, packed := scratchBytes(PackA8Size(filters, k))
	packRows(packed, asBytes(w), filters, k, flipUnsigned[W]())
	addBuf, add := scratchInts(filters)
	zero := int32(zeroPoint(xzp, 0))
	for m := range add {
		sum := int32(0)
		for _, v := range packed[m*4*quadsOf(k):][:k] {
			sum += int32(int8(v))
		}
		add[m] = -sum * (zero + int32(flipSigned[X]()))
		if bias != nil {
			add[m] += bias[m]
		}
	}
	signed := unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(packed))), len(packed))
	QConv(dst, x, signed, add, nil, int(zero), 0, false, images, channels, filters, groups, win)
	scratch.put(buf)
	scratch.put(addBuf)
}
