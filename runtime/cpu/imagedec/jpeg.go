package imagedec

import (
	"bytes"
	"image"
	"image/jpeg"
)

func decodeJPEG(data []byte) (*picture, error) {
	c, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil || c.Width > maxPixels/max(c.Height, 1) {
		return nil, errFormat
	}
	m, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if m, ok := m.(*image.YCbCr); ok {
		return fromYCbCr(m)
	}
	return fromImage(m)
}

// fromYCbCr interpolates chroma where there is less of it than of luma: the
// centers of pixels are at 1/4 and 3/4 of the way between those of chroma.
func fromYCbCr(m *image.YCbCr) (*picture, error) {
	r := m.Bounds()
	w, h := r.Dx(), r.Dy()
	p, err := newPicture(w, h)
	if err != nil {
		return nil, err
	}
	sx, sy := subsampling(m.SubsampleRatio)
	u := chroma{data: m.Cb, stride: m.CStride, width: (w + sx - 1) / sx, height: (h + sy - 1) / sy, sx: sx, sy: sy}
	v := u
	v.data = m.Cr
	cb, cr := make([]uint8, u.width*sx), make([]uint8, u.width*sx)
	sums := make([]int, u.width)
	for y := range h {
		u.row(cb, sums, y)
		v.row(cr, sums, y)
		for x, l := range m.Y[y*m.YStride:][:w] {
			r, g, b := ycc(int(l), int(cb[x])-128, int(cr[x])-128)
			p.set(y*w+x, r, g, b)
		}
	}
	return p, nil
}

// ycc is the color of a luma and two chromas around 0.
func ycc(y, cb, cr int) (r, g, b uint8) {
	const half = 1 << 15
	return clamp(y + (91881*cr+half)>>16),
		clamp(y + (-22554*cb-46802*cr+half)>>16),
		clamp(y + (116130*cb+half)>>16)
}

func clamp(v int) uint8 { return uint8(min(max(v, 0), 255)) }

// subsampling is how many pixels share a chroma, in x and y.
func subsampling(r image.YCbCrSubsampleRatio) (x, y int) {
	switch r {
	case image.YCbCrSubsampleRatio422:
		return 2, 1
	case image.YCbCrSubsampleRatio420:
		return 2, 2
	case image.YCbCrSubsampleRatio440:
		return 1, 2
	case image.YCbCrSubsampleRatio411:
		return 4, 1
	case image.YCbCrSubsampleRatio410:
		return 4, 2
	}
	return 1, 1
}

// chroma is one plane of it.
type chroma struct {
	data          []uint8
	stride        int
	width, height int
	sx, sy        int
}

// row writes what row y of the image has of it.
func (c *chroma) row(dst []uint8, sums []int, y int) {
	near := c.data[y/c.sy*c.stride:][:c.width]
	switch {
	case c.sx > 2 || c.sx == 2 && c.width <= 2:
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

// widen makes two pixels of each sum: three parts of it and one of its
// neighbour. What is added before the shift rounds a half up or down by turns.
func widen(dst []uint8, sums []int, even, odd, shift int) {
	n := len(sums)
	for i, v := range sums {
		before, after := sums[max(i-1, 0)], sums[min(i+1, n-1)]
		dst[2*i] = uint8((3*v + before + even) >> shift)
		dst[2*i+1] = uint8((3*v + after + odd) >> shift)
	}
}
