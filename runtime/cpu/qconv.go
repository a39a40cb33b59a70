package cpu

// QConv is a convolution of bytes and what becomes of its sums, where packed is what [PackA8] made of the filters as rows:
//
//	for n, m, o := range dst { // image, filter, place
//		sum := add[m]
//		for c, k := range w[m] { // channel, tap
//			sum += w[m, c, k] * x[n, c, o·stride + k·dilation - pad] // an int8 of x counts from -128 on: x+128
//		}
//		y := float32(sum) * mult[m]
//		dst[n, m, o] = saturate(round(y) + zero) // max(y, 0) with relu
//	}
//
// where x is padding outside its bounds. A half is rounded to even. Elements of float32 are y itself, those of int32 are
// sum, and mult is nil then.
func QConv[D int8 | uint8 | int32 | float32, X int8 | uint8](dst []D, x []X, packed []int8, add []int32, mult []float32, padding, zero int, relu bool, images, channels, filters, groups int, win Window) {
	if len(dst) == 0 {
		return
	}
	t := byteConvs.get()
	*t = byteConv{
		x: asBytes(x), w: asBytes(packed), add: add, mult: mult, out: newByteOut(dst, zero, relu),
		flip: flipSigned[X](), padding: byte(padding), channels: channels, filters: filters, groups: groups,
	}
	t.win.init(win)
	if t.depthwise(win) {
		parallel(images*channels, images*channels*(t.grid.ih*t.grid.iw+len(dst)/(images*channels)*t.win.kernelSize/8), (*byteDepthwise)(t))
	} else {
		t.do(images)
	}
	*t = byteConv{}
	byteConvs.put(t)
}

var byteConvs freelist[byteConv]

// byteConv is the task of a convolution of bytes: a product of the filters of a group with the patches of an image. A turn
// computes a block of pixels of one group of one image.
type byteConv struct {
	x, w                      []byte
	add                       []int32
	mult                      []float32
	out                       byteOut
	flip, padding             byte
	channels, filters, groups int
	win                       slide
	grid                      grid // of a depthwise one
	plane, blocks             int  // pixels of a plane, and turns that they make
	pointwise, padded         bool
}

const blockPixels = 8 * panel // their patches stay in a cache

func (t *byteConv) do(images int) {
	s := &t.win
	t.plane = s.rows * s.outRow
	t.blocks = (t.plane + blockPixels - 1) / blockPixels
	t.pointwise = s.isPointwise()
	t.padded = leaves(s.inRow, s.outRow, s.taps, s.rowStride, s.rowDilation, s.rowPad)
	for i := range s.rank {
		t.padded = t.padded || leaves(s.in[i], s.out[i], s.kernel[i], s.stride[i], s.dilation[i], s.pads[i])
	}
	k := t.channels / t.groups * s.kernelSize
	work := images * t.plane * k
	parallel(images*t.groups*t.blocks, work/16+work*t.filters/t.groups/byteSpeed(), t)
}

// leaves reports whether a window leaves its input somewhere on an axis.
func leaves(in, out, kernel, stride, dilation, pad int) bool {
	return pad != 0 || (out-1)*stride+(kernel-1)*dilation >= in
}

func (t *byteConv) run(i int) {
	b, g := i%t.blocks, i/t.blocks%t.groups
	image := i / t.blocks / t.groups
	p0, p1 := b*t.plane/t.blocks, (b+1)*t.plane/t.blocks
	depth, rows := t.channels/t.groups, t.filters/t.groups
	k := depth * t.win.kernelSize
	k4, panels := 4*quadsOf(k), (p1-p0+panel-1)/panel

	x := t.x[(image*t.channels+g*depth)*t.win.inSize:][:depth*t.win.inSize]
	pixels, stride := x[min(p0, len(x)):], t.plane
	var buf []float32
	if !t.pointwise || k4 != k || (p1-p0)%panel != 0 {
		stride = panels * panel
		buf, pixels = scratchBytes(k4 * stride)
		t.gather(pixels, x, stride, p0, p1)
	}
	packedBuf, packed := scratchBytes(panels * panel * k4)
	packBytes(packed, pixels, k4, panels*panel, stride, t.flip)
	m := g * rows
	c := byteGemm{
		a: t.w[m*k4:], b: packed, lda: k4, signed: true, m: rows, k: k, n: p1 - p0,
		out:   t.out.from((image*t.filters+m)*t.plane + p0),
		tiles: (rows + byteRows() - 1) / byteRows(),
	}
	c.out.add, c.out.mult, c.out.byRow, c.out.ldd = t.add[m:], t.mult, true, t.plane
	if t.mult != nil {
		c.out.mult = t.mult[m:]
	}
	c.block(0, c.tiles, 0, panels)
	scratch.put(buf)
	scratch.put(packedBuf)
}

// gather lays out what each tap of each channel meets at the pixels p0 to p1-1: a row of stride bytes for each.
func (t *byteConv) gather(dst, x []byte, stride, p0, p1 int) {
	if t.pointwise {
		for c := range len(x) / t.win.inSize {
			copy(dst[c*stride:], x[c*t.plane+p0:c*t.plane+p1])
		}
		return
	}
	s := t.win // a copy: turns run at the same time
	if t.padded {
		fillBytes(dst, t.padding)
	}
	r := p0 / s.outRow
	s.seek(r)
	for ; r*s.outRow < p1; r++ {
		c0, c1 := max(p0-r*s.outRow, 0), min(p1-r*s.outRow, s.outRow)
		at := r*s.outRow - p0
		for s.rewind(); s.nextTap(); {
			for k := range s.taps {
				lo, hi, first := s.span(k)
				first += (max(lo, c0) - lo) * s.rowStride
				lo, hi = max(lo, c0), min(hi, c1)
				if lo >= hi {
					continue
				}
				for c := range len(x) / s.inSize {
					d := dst[(c*s.kernelSize+s.tap+k)*stride+at+lo:][:hi-lo]
					src := x[c*s.inSize+s.src+first:]
					if s.rowStride == 1 {
						copy(d, src)
						continue
					}
					for i := range d {
						d[i] = src[i*s.rowStride]
					}
				}
			}
		}
		s.nextRow()
	}
}

// fillBytes is [fill], by copying.
func fillBytes(dst []byte, v byte) {
	if len(dst) == 0 {
		return
	}
	dst[0] = v
	for n := 1; n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}
