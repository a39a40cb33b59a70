package cpu

import "unsafe"

// ConvInteger is [Conv] of 8-bit integers minus their zero points, in int32, which wraps around. There is one
// zero point for the images, and one for all filters or for each; nil is zero. Padding is zero after the
// subtraction. With the stored values x and w, it is
//
//	Σ (x-p)(w-q) = Σ x(w-q) - p·Σ (w-q)
//
// which [QConv] computes of images and filters in its own layout and ranges.
func ConvInteger[X, W int8 | uint8](dst []int32, x []X, w []W, xzp []X, wzp []W, bias []int32, s ConvShape) {
	if len(dst) == 0 {
		return
	}
	k := len(w) / s.Filters
	signBuf, own := scratchBytes(len(w))
	copy(own, asBytes(w))
	flipBytes(own, own, flipUnsigned[W]())
	addBuf, add := scratchInts(s.Filters)
	shiftBuf, shift := scratchInts(s.Filters)
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
	depth, taps, joined := s.Channels/s.Groups, volume(s.Window.Kernel), JoinedTaps(s.Groups, s.Window)
	packBuf, packed := scratchBytes(PackConv8Size(s.Filters, depth, taps, joined, s.Groups))
	PackConv8(signedBytes(packed), signedBytes(own), s.Filters, depth, taps, joined, s.Groups)
	lastBuf, last := scratchBytes(len(x))
	planesLast(last, asBytes(x), s.Images, s.Channels)
	sumBuf, sums := scratchInts(len(dst))
	images8 := unsafe.Slice((*X)(unsafe.Pointer(unsafe.SliceData(last))), len(last))
	QConv(sums, images8, signedBytes(packed), Requant{Add: add, Shift: shift}, int(zero), s)
	planesLast(dst, sums, s.Images, len(dst)/(s.Images*s.Filters))
	for _, b := range [][]float32{signBuf, addBuf, shiftBuf, packBuf, lastBuf, sumBuf} {
		scratch.put(b)
	}
}

// ConvIntegerLast is [ConvInteger] of images with the channels last. [PackConv8] has packed the filters after
// subtracting their shifts. The totals are the sums of each filter's packed elements.
func ConvIntegerLast[X int8 | uint8](dst []int32, x []X, packed []int8, totals, shift []int32, xzp []X, s ConvShape) {
	buf, add := minusZeroPoint(totals, xzp)
	QConv(dst, x, packed, Requant{Add: add, Shift: shift}, int(zeroPoint(xzp, 0)), s)
	scratch.put(buf)
}

// DepthwiseInteger is [ConvIntegerLast] of filters that [PackDepth8] has packed, one for each of two channels or more.
func DepthwiseInteger[X int8 | uint8](dst []int32, x []X, packed []int8, totals []int32, xzp []X, s DepthwiseShape) {
	buf, add := minusZeroPoint(totals, xzp)
	QDepthwise(dst, x, packed, Requant{Add: add}, int(zeroPoint(xzp, 0)), s)
	scratch.put(buf)
}

// minusZeroPoint returns what the zero point of the images adds to the sums of each filter.
func minusZeroPoint[X anyInt8](totals []int32, xzp []X) (buf []float32, add []int32) {
	zero := int32(zeroPoint(xzp, 0)) + int32(flipSigned[X]())
	buf, add = scratchInts(len(totals))
	for m, t := range totals {
		add[m] = -zero * t
	}
	return buf, add
}

// signedBytes returns x as int8, in the same memory.
func signedBytes(x []byte) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// planesLast transposes each image, which has the given number of planes.
func planesLast[T any](dst, x []T, images, planes int) {
	size := len(x) / images
	for i := range images {
		copyTransposed(dst[i*size:], x[i*size:], size/planes, planes, planes, size/planes)
	}
}
