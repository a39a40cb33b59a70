package cpu

var patchRows freelist[patches]

// patches is the matrix that a convolution multiplies with its filters. It has a row for each place of the
// output, and for each group of channels a column for each tap and channel: the elements of x in the window,
// with the channels last. The matrix is not stored. Its rows are runs of an image, which is x, or a copy of x
// with padding.
type patches struct {
	copied   bool // the image is not x
	channels int
	depth    int // channels of a group
	pixel    int // from a pixel to the next; all steps are in elements

	axes  int
	in    [maxRank]int // pixels of x
	size  [maxRank]int // pixels of the image
	pad   [maxRank]int // the pixel of the image with which x begins
	skip  [maxRank]int // the image has one of this number of pixels of x
	step  [maxRank]int // from an output's patch to the next one
	out   [maxRank]int
	whole int // an image

	run    int   // elements of a run
	starts []int // of the runs of a patch
	steps  []int // from a run to the next
}

// init describes the patches of images. With many, the kernel reads elements several times. With copied, the
// image is always a copy.
func (p *patches) init(channels, groups int, win Window, many, copied bool) {
	p.channels, p.depth, p.axes = channels, channels/groups, len(win.In)
	p.pixel = channels
	for d := range win.In {
		p.in[d], p.out[d], p.pad[d] = win.In[d], win.Out[d], win.Pad[d]
		p.size[d] = (win.Out[d]-1)*win.Stride[d] + (win.Kernel[d]-1)*win.Dilation[d] + 1
		copied = copied || p.pad[d] > 0 || p.size[d] > p.in[d]
	}
	last := p.axes - 1
	// Many rows whose distance is a multiple of half a page fall into the same few sets of L1.
	crowded := many && win.Stride[last]*channels%512 == 0
	if crowded && channels%512 == 0 {
		p.pixel += 16
	}
	p.copied = copied || crowded
	for d := range win.In {
		p.skip[d], p.step[d] = 1, win.Stride[d]
		if !p.copied {
			p.size[d] = p.in[d]
		} else if win.Kernel[d] == 1 {
			p.skip[d], p.step[d], p.size[d] = win.Stride[d], 1, p.out[d]
		}
	}
	joined := 1
	if p.pixel == channels {
		joined = JoinedTaps(groups, win)
	}
	p.setRuns(win, joined)
}

// setRuns computes the runs of a patch and the steps between patches. A run is one tap, or all taps of a line
// if they are joined.
func (p *patches) setRuns(win Window, joined int) {
	last := p.axes - 1
	taps := volume(win.Kernel) / joined
	p.run = p.depth * joined
	p.starts, p.steps = p.starts[:0], p.steps[:0]
	for r := range taps {
		at, step, d := 0, p.pixel, last
		if joined > 1 {
			step *= p.size[d]
			d--
		}
		for ; d >= 0; d-- {
			at += r % win.Kernel[d] * win.Dilation[d] * step
			r /= win.Kernel[d]
			step *= p.size[d]
		}
		if len(p.starts) > 0 {
			p.steps = append(p.steps, at-p.starts[len(p.starts)-1])
		}
		p.starts = append(p.starts, at)
	}
	p.whole = p.pixel
	for d := last; d >= 0; d-- {
		p.step[d] *= p.whole
		p.whole *= p.size[d]
	}
}

// pointwise reports whether the patches are the pixels of the image.
func (p *patches) pointwise() bool {
	step := p.pixel
	for d := p.axes - 1; d >= 0; d-- {
		if p.step[d] != step || p.size[d] != p.out[d] {
			return false
		}
		step *= p.size[d]
	}
	return len(p.starts) == 1 && p.run == p.depth
}

// parts returns the number of pieces in which the columns are multiplied: each has as many runs as make up
// blockK columns, or a part of a run.
func (p *patches) parts() int {
	if p.run > blockK {
		return len(p.starts) * p.pieces()
	}
	each := blockK / p.run
	return (len(p.starts) + each - 1) / each
}

// pieces returns the number of pieces of a long run.
func (p *patches) pieces() int { return (p.run + blockK - 1) / blockK }

// part sets tile to a part of the columns of rows in a, and returns the first
// of them.
func (p *patches) part(i int, a []float32, tile *gemmTile) (k0 int) {
	runs := len(p.starts)
	if p.run > blockK {
		pieces := p.pieces()
		r, i := i/pieces, i%pieces
		from, to := i*p.run/pieces, (i+1)*p.run/pieces
		tile.a, tile.k, tile.runs = a[p.starts[r]+from:], to-from, 1
		return r*p.run + from
	}
	r0, r1 := i*runs/p.parts(), (i+1)*runs/p.parts()
	tile.a, tile.k, tile.runs, tile.steps = a[p.starts[r0]:], p.run, r1-r0, p.steps[r0:]
	return r0 * p.run
}

// locate writes the places where patches row, row+1, … begin. If they are of one line, their distance is
// constant, and is returned.
func (p *patches) locate(at []int, row int) (apart int) {
	last := p.axes - 1
	line, o := row/p.out[last], row%p.out[last]
	from := p.line(line)
	if o+len(at) <= p.out[last] {
		apart = p.step[last]
		if evenRows && level != Portable {
			at[0] = from + o*apart
			return apart
		}
	}
	for i := range at {
		at[i] = from + o*p.step[last]
		if o++; o == p.out[last] {
			line, o = line+1, 0
			from = p.line(line)
		}
	}
	return apart
}

// lineTiles returns the number of tiles of at most the given rows in a line.
func (p *patches) lineTiles(rows int) int { return (p.out[p.axes-1] + rows - 1) / rows }

// tiles returns the number of tiles of at most the given rows for m rows. Tiles end where lines do, if that
// hardly increases their number, or their time: tiles for few columns, which have more rows than others, take hardly more
// time for each row if they have three quarters of them.
func (p *patches) tiles(m, rows int) int {
	width, enough := p.out[p.axes-1], rows
	if rows > tileRows() {
		enough = rows * 3 / 4
	}
	if per := p.lineTiles(rows); evenRows && per*enough*8 <= width*9 {
		return m / width * per
	}
	return (m + rows - 1) / rows
}

// line returns the place where the first patch of a line of the output begins.
func (p *patches) line(l int) int {
	at := 0
	for d := p.axes - 2; d >= 0; d-- {
		at += l % p.out[d] * p.step[d]
		l /= p.out[d]
	}
	return at + l*p.whole
}
