package cpu

import "math"

// RoiPoolShape is the sizes of [MaxRoiPool]. In and Out have two axes.
type RoiPoolShape struct {
	Rois, Batches, Channels int
	In, Out                 []int // of an image, and of the grid over a region
}

// MaxRoiPool takes the maximum of each cell of a grid over regions of images. rois is [regions, 5]: the image and
// the corners of a region, which are multiplied by scale. x is [batches, channels, in…], dst is [regions,
// channels, out…].
func MaxRoiPool[T Float](dst, x, rois []T, s RoiPoolShape, scale float64) {
	eachRoiCell(rois, s, scale, func(img, cell, y0, y1, x0, x1 int) {
		dst[cell], _ = maxOfBox(row(x, img, s.In[0]*s.In[1]), s.In[1], y0, y1, x0, x1)
	})
}

// MaxRoiPoolGrad adds each element of dy to dx at the first largest element of its cell of x.
func MaxRoiPoolGrad[T Float](dx, dy, x, rois []T, s RoiPoolShape, scale float64) {
	clear(dx)
	eachRoiCell(rois, s, scale, func(img, cell, y0, y1, x0, x1 int) {
		plane := s.In[0] * s.In[1]
		if _, at := maxOfBox(row(x, img, plane), s.In[1], y0, y1, x0, x1); at >= 0 {
			dx[img*plane+at] += dy[cell]
		}
	})
}

// eachRoiCell calls do for each cell of each region, with the number of its image and channel, its own
// number, and its box.
func eachRoiCell[T Float](rois []T, s RoiPoolShape, scale float64, do func(img, cell, y0, y1, x0, x1 int)) {
	cells := s.Out[0] * s.Out[1]
	for r := range s.Rois {
		roi := rois[r*5:][:5]
		b := roundAway(float64(roi[0]))
		if b < 0 || b >= s.Batches {
			badIndex("MaxRoiPool", b, s.Batches)
		}
		var from, span [2]int
		for k := range 2 {
			from[k] = roundAway(float64(roi[2-k]) * scale)
			span[k] = max(roundAway(float64(roi[4-k])*scale)-from[k]+1, 1)
		}
		for c := range s.Channels {
			for i := range s.Out[0] {
				y0, y1 := roiPart(from[0], span[0], i, s.Out[0], s.In[0])
				for j := range s.Out[1] {
					x0, x1 := roiPart(from[1], span[1], j, s.Out[1], s.In[1])
					do(b*s.Channels+c, (r*s.Channels+c)*cells+i*s.Out[1]+j, y0, y1, x0, x1)
				}
			}
		}
	}
}

// roundAway rounds, a half away from zero.
func roundAway(x float64) int {
	if !(math.Abs(x) <= maxExtent) {
		fail("MaxRoiPool", "a region has the coordinate %v", x)
	}
	return int(math.Round(x))
}

// roiPart returns the begin and the end of part i of n of a region, within limit.
func roiPart(from, span, i, n, limit int) (lo, hi int) {
	size := float64(span) / float64(n)
	lo = int(math.Floor(float64(i)*size)) + from
	hi = int(math.Ceil(float64(i+1)*size)) + from
	return min(max(lo, 0), limit), min(max(hi, 0), limit)
}

// maxOfBox returns the largest element of a part of an image and its first place, or 0 and -1 if the part is
// empty.
func maxOfBox[T Float](img []T, width, y0, y1, x0, x1 int) (top T, at int) {
	if y0 >= y1 || x0 >= x1 {
		return 0, -1
	}
	top, at = T(math.Inf(-1)), y0*width+x0
	for y := y0; y < y1; y++ {
		for x, v := range img[y*width+x0 : y*width+x1] {
			if v != v {
				return v, y*width + x0 + x
			}
			if v > top {
				top, at = v, y*width+x0+x
			}
		}
	}
	return top, at
}
