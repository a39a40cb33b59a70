package cpu

import "unsafe"

// WinogradFilters8 transforms filters that [PackConv8] has packed, of depth channels and 3×3 taps, for [QConvWinograd] with
// images of height×width pixels. The result is 36 matrices of words of 16 bits, eight times as large as the filters. It is
// empty if this processor convolves as fast without, or if there are filters whose sums could be too large.
func WinogradFilters8(packed []int8, depth, filters, height, width int) []int8 {
	if !wordsFaster(depth, filters, height, width) {
		return nil
	}
	return winogradFilters8(packed, depth, filters)
}

// wordsFaster estimates whether QConvWinograd is faster than QConv by an eighth, which is worth the memory.
func wordsFaster(depth, filters, height, width int) bool {
	const near, transforms = 24, 10 // bytes of u from a distant cache, and transforms, in a nanosecond
	tiles, size := (height+3)/4*((width+3)/4), depth*filters
	direct := 9 * height * width * size / byteSpeed()
	words := 36*tiles*size/wordSpeed() + 36*tiles*(depth+filters)/transforms + 72*size/near
	return words+words/8 < direct
}

// winogradFilters8 is [WinogradFilters8] for any processor.
func winogradFilters8(packed []int8, depth, filters int) []int8 {
	t := &filterTransform8{packed: packed, depth: depth, filters: filters}
	if !t.exact() {
		return nil
	}
	u := alignedFloats(36 * depth * filters / 2)
	bytes := unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(u))), 4*len(u))
	t.u = asWords(bytes)
	parallel(filters, 36*9*depth*filters, t)
	return bytes
}

// filterTransform8 is the task of transforming filters. A turn is a filter.
type filterTransform8 struct {
	u              []int16 // [36, filters/16, depth/2, 16, 2]
	packed         []int8
	depth, filters int
}

// tap returns tap k of a filter for a channel: the taps of a line are adjacent.
func (t *filterTransform8) tap(f, c, k int) int8 {
	l := k*t.depth + c
	return t.packed[f/panel*panel*9*t.depth+l/4*4*panel+f%panel*4+l%4]
}

// exact reports whether no sum of a pixel, of which 26 bits are left, can be too large.
func (t *filterTransform8) exact() bool {
	const most = 1<<25 - 1
	for f := range t.filters {
		low, high := 0, 0
		for c := range t.depth {
			for k := range 9 {
				v := int(t.tap(f, c, k))
				low, high = low+min(v, 0), high+max(v, 0)
			}
		}
		if max(high, -low) > most/255 {
			return false
		}
	}
	return true
}

func (t *filterTransform8) run(f int) {
	for c := range t.depth {
		var rows [3][6]int16
		for i := range rows {
			rows[i] = filterWords([3]int16{int16(t.tap(f, c, 3*i)), int16(t.tap(f, c, 3*i+1)), int16(t.tap(f, c, 3*i+2))})
		}
		at := f/wordPanel*wordPanel*t.depth + c/2*2*wordPanel + f%wordPanel*2 + c%2
		for j := range 6 {
			for i, v := range filterWords([3]int16{rows[0][j], rows[1][j], rows[2][j]}) {
				t.u[(i*6+j)*t.depth*t.filters+at] = v
			}
		}
	}
}
