package cpu

import "math"

// OneHot writes values[1] where the middle one of three axes is equal to the index, and values[0] elsewhere.
// dst is [outer, depth, inner]. An index out of range is ignored.
func OneHot[T any, I Number](dst, values []T, index []I, outer, depth, inner int) {
	fill(dst, values[0])
	for o := range outer {
		for i, v := range index[o*inner:][:inner] {
			if w := math.Trunc(float64(v)); !(w >= float64(-depth) && w < float64(depth)) { // NaN and what an int64 cannot hold, too
				continue
			}
			k := int(v)
			if k < 0 {
				k += depth
			}
			dst[(o*depth+k)*inner+i] = values[1]
		}
	}
}

// OneHotDepth returns the size of the axis that a OneHot adds.
func OneHotDepth[T Number](depth []T) int {
	d := depth[0]
	if !(d >= 0 && float64(d) <= maxExtent) {
		fail("OneHot", "depth is %v", d)
	}
	return int(d)
}
