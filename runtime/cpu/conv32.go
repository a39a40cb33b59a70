package cpu

// Conv32 is [Conv] followed by an activation. Filters with one channel are applied row by row. Other filters
// are multiplied with the patches of the image, which are packed panel by panel.
func Conv32(dst, x, w, bias []float32, s ConvShape, act Act) {
	ConvAdd32(dst, x, w, bias, nil, s, act)
}

// ConvAdd32 is [Conv32] with res, which has dst's shape or is nil, added before
// the activation.
func ConvAdd32(dst, x, w, bias, res []float32, s ConvShape, act Act) {
	if len(dst) == 0 || convWide(dst, x, w, bias, res, s, act) {
		return
	}
	t := convs.get()
	*t = conv32{dst: dst, x: x, w: w, bias: bias, res: res, channels: s.Channels, filters: s.Filters, groups: s.Groups, act: act}
	t.win.init(s.Window)
	t.plane = t.win.rows * t.win.outRow
	t.pointwise = t.win.isPointwise()
	t.do(s.Images)
	t.dst, t.x, t.w, t.bias, t.res = nil, nil, nil, nil, nil
	convs.put(t)
}

var convs freelist[conv32]

// conv32 is the task of a convolution. A turn computes a run of panels of one group of one image, or one
// plane if filters have one channel.
type conv32 struct {
	dst, x, w, bias, res      []float32
	channels, filters, groups int
	act                       Act
	win                       slide
	plane                     int // elements of an output plane
	pointwise                 bool
	blocks                    int // turns of a group; 0: planes are turns
}

func (s *slide) isPointwise() bool {
	for i := range s.rank {
		if s.kernel[i] != 1 || s.stride[i] != 1 || s.pads[i] != 0 || s.out[i] != s.in[i] {
			return false
		}
	}
	return s.taps == 1 && s.rowStride == 1 && s.rowPad == 0 && s.outRow == s.inRow
}

func (t *conv32) do(images int) {
	depth := t.channels / t.groups
	work := images * t.filters * depth * t.win.kernelSize * t.plane
	if depth == 1 && t.filters == t.groups {
		parallel(images*t.filters, work/8, t)
		return
	}
	const blockPanels = 4 // a block of patches stays in L2
	panels := (t.plane + panel - 1) / panel
	t.blocks = (panels + blockPanels - 1) / blockPanels
	parallel(images*t.groups*t.blocks, work/tileSpeed(), t)
}

func (t *conv32) run(i int) {
	if t.blocks == 0 {
		t.runPlane(i)
		return
	}
	panels := (t.plane + panel - 1) / panel
	b, g := i%t.blocks, i/t.blocks%t.groups
	image := i / t.blocks / t.groups
	p0, p1 := b*panels/t.blocks, (b+1)*panels/t.blocks
	depth := t.channels / t.groups
	k := depth * t.win.kernelSize
	patches := scratch.get((p1 - p0) * panel * k)
	x := t.x[(image*t.channels+g*depth)*t.win.inSize:][:depth*t.win.inSize]
	if t.pointwise {
		packColumns(patches, x, depth, t.plane, p0*panel)
	} else {
		s := t.win
		packPatches(patches, x, depth, &s, p0*panel)
	}
	t.multiply(patches, image*t.filters+g*(t.filters/t.groups), k, p0, p1)
	scratch.put(patches)
}

// runPlane applies the filter of plane p to its channel.
func (t *conv32) runPlane(p int) {
	s := t.win
	m := p % t.filters
	bias := float32(0)
	if t.bias != nil {
		bias = t.bias[m]
	}
	d := t.dst[p*t.plane:][:t.plane]
	convPlane(d, t.x[p*s.inSize:][:s.inSize], t.w[m*s.kernelSize:], bias, 1, &s)
	if t.res != nil {
		VecAdd32(d, d, t.res[p*t.plane:])
	}
	t.act.apply(d)
}

// multiply multiplies a group's filters with packed patches. The products are the columns of panels p0 to
// p1-1 in the planes from first on.
func (t *conv32) multiply(patches []float32, first, k, p0, p1 int) {
	rows, m := t.filters/t.groups, first%t.filters
	j0, j1 := p0*panel, min(p1*panel, t.plane)
	dst := t.dst[first*t.plane:][:rows*t.plane]
	w := t.w[m*k:][:rows*k]
	for r := range rows {
		b := float32(0)
		if t.bias != nil {
			b = t.bias[m+r]
		}
		fill(dst[r*t.plane+j0:r*t.plane+j1], b)
	}
	tiles := (rows + tileRows() - 1) / tileRows()
	blocks := (k + blockK - 1) / blockK
	for kb := range blocks {
		k0, k1 := kb*k/blocks, (kb+1)*k/blocks
		c := gemmTile{lda: k, ldb: panel, ldc: t.plane, ldp: panel * k, k: k1 - k0, flags: tileAcc}
		for i := range tiles {
			r0, r1 := i*rows/tiles, (i+1)*rows/tiles
			c.rows = r1 - r0
			c.a = w[r0*k+k0:]
			for p, step := p0, tilePanels(c.rows); p < p1; p += step {
				if p+step > p1 {
					step = 1
				}
				c.cols = min(step*panel, t.plane-p*panel)
				c.b = patches[(p-p0)*panel*k+k0*panel:]
				c.c = dst[r0*t.plane+p*panel:]
				c.run()
			}
		}
	}
	for r := range rows {
		d := dst[r*t.plane+j0 : r*t.plane+j1]
		if t.res != nil {
			VecAdd32(d, d, t.res[(first+r)*t.plane+j0:])
		}
		t.act.apply(d)
	}
}
