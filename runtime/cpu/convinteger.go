package cpu

import "unsafe"

// ConvInteger is [Conv] of 8-bit integers less their zero points, in int32,
// which wraps around. There is one zero point for the images, and one for all
// filters or for each; nil stands for zero. Padding is zero after the zero
// point is taken off. With what is stored, x and w, it is
//
//	Σ (x-p)(w-q) = Σ x(w-q) - p·Σ (w-q)
//
// which [QConv] computes of images and filters that are moved to where it wants
// them.
func ConvInteger[X, W int8 | uint8](dst []int32, x []X, w []W, xzp []X, wzp []W, bias []int32, images, channels, filters, groups int, win Window) {
	if len(dst) == 0 {
		return
	}
	k := len(w) / filters
	signBuf, own := scratchBytes(len(w))
	copy(own, asBytes(w))
	flipBytes(own, flipUnsigned[W]())
	addBuf, add := scratchInts(filters)
	shiftBuf, shift := scratchInts(filters)
	zero := int32(zeroPoint(xzp, 0))
	for m := range add {
		shift[m] = int32(zeroPoint(wzp, m)) - int32(flipUnsigned[W]())
		sum := -int32(k) * shift[m]
		for _, v := range own[m*k:][:k] {
			sum += int32(int8(v))
		}
		add[m] = -sum * (zero + int32(flipSigned[X]()))
		if bias != nil {
			add[m] += bias[m]
		}
	}
	c := lastIntegers{images: images, channels: channels, filters: filters, groups: groups, win: win}
	lastBuf, last := scratchBytes(len(x))
	planesLast(last, asBytes(x), images, channels)
	sumBuf, sums := scratchInts(len(dst))
	convLastIntegers(c, sums, unsafe.Slice((*X)(unsafe.Pointer(&last[0])), len(last)), signedBytes(own), add, shift, int(zero))
	planesLast(dst, sums, images, len(dst)/(images*filters))
	for _, b := range [][]float32{signBuf, addBuf, shiftBuf, lastBuf, sumBuf} {
		scratch.put(b)
	}
}

// ConvIntegerLast is [ConvInteger] of images with the channels last and filters that [PackConv8] has packed, less their
// shifts. What the elements of each filter add up to then, totals say.
func ConvIntegerLast[X int8 | uint8](dst []int32, x []X, packed []int8, totals, shift []int32, xzp []X, images, channels, filters, groups int, win Window) {
	buf, add := lessZero(totals, xzp)
	QConv(dst, x, packed, add, nil, shift, int(zeroPoint(xzp, 0)), 0, false, images, channels, filters, groups, win)
	scratch.put(buf)
}

// DepthwiseInteger is [ConvIntegerLast] of filters that [PackDepth8] has packed.
func DepthwiseInteger[X int8 | uint8](dst []int32, x []X, packed []int8, totals []int32, xzp []X, images, channels int, win Window) {
	buf, add := lessZero(totals, xzp)
	QDepthwise(dst, x, packed, add, nil, int(zeroPoint(xzp, 0)), 0, false, images, channels, win)
	scratch.put(buf)
}

// lessZero is what a zero point of the images adds to the sums of each filter.
func lessZero[X octet](totals []int32, xzp []X) (buf []float32, add []int32) {
	zero := int32(zeroPoint(xzp, 0)) + int32(flipSigned[X]())
	buf, add = scratchInts(len(totals))
	for m, t := range totals {
		add[m] = -zero * t
	}
	return buf, add
}

// lastIntegers is the sizes of a convolution.
type lastIntegers struct {
	images, channels, filters, groups int
	win                               Window
}

// convLastIntegers packs the filters and convolves images that have their channels last.
func convLastIntegers[X octet](c lastIntegers, sums []int32, x []X, w []int8, add, shift []int32, padding int) {
	depth, taps, joined := c.channels/c.groups, volume(c.win.Kernel), JoinedTaps(c.groups, c.win)
	buf, packed := scratchBytes(PackConv8Size(c.filters, depth, taps, joined, c.groups))
	PackConv8(signedBytes(packed), w, c.filters, depth, taps, joined, c.groups)
	QConv(sums, x, signedBytes(packed), add, nil, shift, padding, 0, false, c.images, c.channels, c.filters, c.groups, c.win)
	scratch.put(buf)
}

// signedBytes is the memory of x.
func signedBytes(x []byte) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// planesLast transposes each image, which has so many planes.
func planesLast[T any](dst, x []T, images, planes int) {
	size := len(x) / images
	for i := range images {
		transposePlanes(dst[i*size:][:size], x[i*size:][:size], planes)
	}
}

// transposePlanes writes a matrix of so many rows as its transpose, a few rows at a time.
func transposePlanes[T any](dst, x []T, rows int) {
	cols := len(x) / max(rows, 1)
	const block = 16
	for r0 := 0; r0 < rows; r0 += block {
		n := min(block, rows-r0)
		for c := range cols {
			d := dst[c*rows+r0:][:n]
			for i := range d {
				d[i] = x[(r0+i)*cols+c]
			}
		}
	}
}
