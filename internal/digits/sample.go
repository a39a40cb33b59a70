package digits

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Size is the width and the height of an image.
const Size = 28

// Pixels is the length of an image: rows from the top, one byte per pixel, from 0 for black to 255 for ink.
const Pixels = Size * Size

// Render returns the samples 0 to n-1 of the data set of a seed: n*Pixels bytes of images, and n labels.
func Render(seed uint64, n int) (images []byte, labels []byte) {
	images = make([]byte, n*Pixels)
	labels = make([]byte, n)
	for i := range n {
		labels[i] = Sample(seed, i, images[i*Pixels:(i+1)*Pixels])
	}
	return images, labels
}

// Sample draws sample i of the data set of a seed into dst and returns its digit. It depends only on seed and
// i, so any part of a data set can be drawn separately.
func Sample(seed uint64, i int, dst []byte) (label byte) {
	if len(dst) != Pixels {
		panic(fmt.Sprintf("digits: image has %d bytes, want %d", len(dst), Pixels))
	}
	// Neighboring samples get seeds that differ in many bits.
	r := rand.New(rand.NewPCG(seed, (uint64(i)+1)*0x9e3779b97f4a7c15))
	label = byte(r.IntN(10))
	all := glyphs()
	warp(dst, &all[r.IntN(len(all))][label], randomPlacement(r))
	if r.IntN(3) == 0 {
		blur(dst, Size)
	}
	ink(dst, r)
	return label
}

// A placement maps the pixels of an image to positions in a cell: u = u0 + ux·x + uy·y, and likewise v. All
// are in units of 1/65536 of a cell's pixel. They are integers so that every machine draws the same bytes.
type placement struct{ u0, ux, uy, v0, vx, vy int }

// randomPlacement rotates by up to 15°, slants, stretches each axis separately, and shifts by up to two pixels.
func randomPlacement(r *rand.Rand) placement {
	between := func(lo, hi float64) float64 { return lo + float64((hi-lo)*r.Float64()) }
	sin, cos := math.Sincos(between(-15, 15) * math.Pi / 180)
	slant := between(-0.2, 0.2)
	sx, sy := cellScale/between(0.8, 1.1), cellScale/between(0.8, 1.1)
	tx, ty := between(-2, 2), between(-2, 2)

	// The inverse transformation: undo the rotation, then the slant, then the stretching.
	fixed := func(x float64) int { return int(math.Round(x * 65536)) }
	p := placement{
		ux: fixed(sx * (cos + float64(slant*sin))),
		uy: fixed(sx * (sin - float64(slant*cos))),
		vx: fixed(-sy * sin),
		vy: fixed(sy * cos),
	}
	// The middle of the shifted image maps to the middle of the cell.
	mx, my := int64(fixed(Size/2-0.5+tx)), int64(fixed(Size/2-0.5+ty)) // a product needs more than 32 bits
	const middle = (cellSize/2)*65536 - 32768
	p.u0 = middle - int((int64(p.ux)*mx+int64(p.uy)*my)>>16)
	p.v0 = middle - int((int64(p.vx)*mx+int64(p.vy)*my)>>16)
	return p
}

// warp draws a placed cell, interpolating between the four nearest pixels.
func warp(dst []byte, c *cell, p placement) {
	for y := range Size {
		u, v := p.u0+p.uy*y, p.v0+p.vy*y
		for x := range Size {
			dst[y*Size+x] = c.at(u, v)
			u += p.ux
			v += p.vx
		}
	}
}

// at returns the brightness at a place given in units of 1/65536 of a pixel.
func (c *cell) at(u, v int) byte {
	iu, iv := u>>16, v>>16
	if iu < 0 || iv < 0 || iu >= cellSize-1 || iv >= cellSize-1 {
		return 0
	}
	fu, fv := u>>8&255, v>>8&255
	i := iv*cellSize + iu
	top := int(c[i])*(256-fu) + int(c[i+1])*fu
	bottom := int(c[i+cellSize])*(256-fu) + int(c[i+cellSize+1])*fu
	return byte((top*(256-fv) + bottom*fv + 1<<15) >> 16)
}

// ink varies the pressure of the pen: the contrast makes lines thicker or thinner, the peak makes them
// lighter, and some noise is added.
func ink(dst []byte, r *rand.Rand) {
	cut := 20 + r.IntN(50)         // darker pixels become black
	gain := 320 + r.IntN(320)      // the contrast of the others, in 1/256
	peak := 190 + r.IntN(66)       // the maximum brightness
	noise := r.IntN(3) * r.IntN(5) // in 1/4, mostly small
	var bits uint64
	for i, p := range dst {
		if i%8 == 0 {
			bits = r.Uint64()
		}
		v := min(max((int(p)-cut)*gain>>8, 0), peak)
		// Two dice, so that small deviations are the most frequent.
		v += (int(bits&15) - int(bits>>4&15)) * noise >> 2
		dst[i] = byte(min(max(v, 0), 255))
		bits >>= 8
	}
}

// blur distributes each pixel of a square image over its neighbors, one quarter to each side, along both
// axes.
func blur(img []byte, size int) {
	for i := range size {
		blurLine(img, i*size, 1, size)
	}
	for i := range size {
		blurLine(img, i, size, size)
	}
}

// blurLine blurs the n pixels at start, start+step and so on.
func blurLine(img []byte, start, step, n int) {
	before := 0
	for k := range n {
		i := start + k*step
		here, after := int(img[i]), 0
		if k+1 < n {
			after = int(img[i+step])
		}
		img[i] = byte((before + 2*here + after + 2) >> 2)
		before = here
	}
}
