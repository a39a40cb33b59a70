package imagedec

// ycc returns the color of a luma and two chromas around 0.
func ycc(y, cb, cr int) (r, g, b uint8) {
	const half = 1 << 15
	return clamp(y + (91881*cr+half)>>16),
		clamp(y + (-22554*cb-46802*cr+half)>>16),
		clamp(y + (116130*cb+half)>>16)
}

func clamp(v int) uint8 { return uint8(min(max(v, 0), 255)) }

// plane is the samples of one component of a JPEG image. Each is for sx·sy pixels.
type plane struct {
	data          []uint8
	stride        int
	width, height int
	sx, sy        int
}

// row writes the samples of row y of the image. They are interpolated at the centers of the pixels, which are
// 1/4 and 3/4 of the way between two samples. Like libjpeg, it repeats the samples that are for more than two
// pixels in one direction, and those of very narrow images.
func (c *plane) row(dst []uint8, sums []int, y int) {
	near := c.data[y/c.sy*c.stride:][:c.width]
	switch {
	case c.sx > 2 || c.sy > 2 || c.sx == 2 && c.width <= 2:
		for i := range dst {
			dst[i] = near[i/c.sx]
		}
		return
	case c.sx == 1 && c.sy == 1:
		copy(dst, near)
		return
	case c.sy == 1:
		for i, v := range near {
			sums[i] = int(v)
		}
		widen(dst, sums, 1, 2, 2)
		return
	}
	other := y/2 - 1 + y%2*2
	far := c.data[min(max(other, 0), c.height-1)*c.stride:][:c.width]
	for i, v := range near {
		sums[i] = 3*int(v) + int(far[i])
	}
	if c.sx == 2 {
		widen(dst, sums, 8, 7, 4)
		return
	}
	for i, v := range sums {
		dst[i] = uint8((v + 1 + y%2) >> 2)
	}
}

// widen computes two pixels from each sum: three parts of it and one of its neighbor. The numbers that are
// added before the shift round halves alternately up and down.
func widen(dst []uint8, sums []int, even, odd, shift int) {
	n := len(sums)
	for i, v := range sums {
		before, after := sums[max(i-1, 0)], sums[min(i+1, n-1)]
		dst[2*i] = uint8((3*v + before + even) >> shift)
		dst[2*i+1] = uint8((3*v + after + odd) >> shift)
	}
}
