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
	if isZero(wzp, flipUnsigned[W]()) {
		convIntegers(dst, x, w, xzp, bias, images, channels, filters, groups, win)
		return
	}
	var s slide
	s.init(win)
	plane, depth := s.rows*s.outRow, channels/groups
	zero := int32(zeroPoint(xzp, 0))
	for p := range images * filters {
		m := p % filters
		first := p/filters*channels + m/(filters/groups)*depth
		d := dst[p*plane:][:plane]
		b := int32(0)
		if bias != nil {
			b = bias[m]
		}
		fill(d, b)
		filter := w[m*depth*s.kernelSize:][:depth*s.kernelSize]
		convBytes(d, x[first*s.inSize:][:depth*s.inSize], filter, zero, int32(zeroPoint(wzp, m)), &s)
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

// convBytes adds what one filter makes of its channels.
func convBytes[X, W int8 | uint8](dst []int32, x []X, w []W, xzp, wzp int32, s *slide) {
	depth := len(w) / s.kernelSize
	s.seek(0)
	for r := range s.rows {
		d := dst[r*s.outRow:][:s.outRow]
		for c := range depth {
			for s.rewind(); s.nextTap(); {
				src := x[c*s.inSize+s.src:][:s.inRow]
				for k, v := range w[c*s.kernelSize+s.tap:][:s.taps] {
					lo, hi, at := s.span(k)
					f := int32(v) - wzp
					if lo == hi || f == 0 {
						continue
					}
					if s.rowStride == 1 {
						for i, q := range src[at:][:hi-lo] {
							d[lo+i] += f * (int32(q) - xzp)
						}
						continue
					}
					for i := lo; i < hi; i, at = i+1, at+s.rowStride {
						d[i] += f * (int32(src[at]) - xzp)
					}
				}
			}
		}
		s.nextRow()
	}
}
