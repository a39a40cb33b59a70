package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// convFence is the operands of a convolution, and its sums for images with the channels first and last.
type convFence struct {
	s                    ConvShape
	x, last, w           []float32
	bias, res            []float32
	exactFirst, exactEnd []float64
	tol                  float64
}

func newConvFence(rng *rand.Rand, images, channels, filters, groups int, win Window) *convFence {
	depth, taps := channels/groups, sizeOf(win.Kernel)
	c := &convFence{s: ConvShape{Images: images, Channels: channels, Filters: filters, Groups: groups, Window: win}, tol: 1e-5 * float64(depth*taps+4)}
	c.x, c.w, c.bias = randoms(rng, images*channels*sizeOf(win.In)), randoms(rng, filters*depth*taps), randoms(rng, filters)
	c.last = channelsLast(c.x, images, channels)
	c.exactFirst = make([]float64, images*filters*sizeOf(win.Out))
	naiveConv(c.exactFirst, widen64(c.x), widen64(c.w), make([]float64, filters), images, channels, filters, groups, win)
	c.exactEnd = channelsLast(c.exactFirst, images, filters)
	c.res = randoms(rng, len(c.exactEnd))
	return c
}

func (c *convFence) size() int { return len(c.exactEnd) }

// lastSums has the parameters of [ConvLast32].
func (c *convFence) lastSums(dst, _, _, bias, res []float64, _ ConvShape, act Act) {
	copy(dst, c.exactEnd)
	exactOut(dst, bias, res, act)
}

// into has the parameters of [ConvLastInto32].
func (c *convFence) into(dst, _, _, bias []float64, s ConvShape, act Act, width, at int) {
	sums := slices.Clone(c.exactEnd)
	exactOut(sums, bias, nil, act)
	for i, v := range sums {
		dst[i/s.Filters*width+at+i%s.Filters] = v
	}
}

// packed packs the filters, beside protected pages as well.
func (c *convFence) packed(f *fence) []float32 {
	s, taps := c.s, sizeOf(c.s.Window.Kernel)
	p := slicesOf(PackConv32Size(s.Filters, s.Channels/s.Groups, taps, s.Groups), float32(nan))
	f.run("PackConv32", 0, PackConv32, atPortable(PackConv32), p, c.w, s.Filters, s.Channels/s.Groups, taps, s.Groups)
	PackConv32(p, c.w, s.Filters, s.Channels/s.Groups, taps, s.Groups)
	return p
}

func (c *convFence) run(f *fence, rng *rand.Rand) {
	act, wide := acts[rng.IntN(len(acts))], c.s.Filters+3
	p, dst := c.packed(f), unwritten(c.size())
	f.run("ConvLast32", c.tol, ConvLast32, c.lastSums, dst, c.last, p, c.bias, c.res, c.s, act)
	f.run("ConvLast32 without a bias", c.tol, ConvLast32, c.lastSums, dst, c.last, p, nil, nil, c.s, ActNone)
	for _, at := range []int{0, 3} {
		f.run("ConvLastInto32", c.tol, ConvLastInto32, c.into, slicesOf(c.size()/c.s.Filters*wide, float32(7)), c.last, p, c.bias, c.s, act, wide, at)
	}
	f.run("Conv32", c.tol, Conv32, func(dst, _, _, bias []float64, s ConvShape, act Act) {
		for i, v := range c.exactFirst {
			dst[i] = activations[act](v + bias[i/sizeOf(s.Window.Out)%s.Filters])
		}
	}, dst, c.x, c.w, c.bias, c.s, act)
	f.run("ConvAdd32", c.tol, ConvAdd32, func(dst, _, _, bias, res []float64, s ConvShape, act Act) {
		for i, v := range c.exactFirst {
			dst[i] = activations[act](v + bias[i/sizeOf(s.Window.Out)%s.Filters] + res[i])
		}
	}, dst, c.x, c.w, c.bias, c.res, c.s, act)
	cols := make([]float32, c.s.Channels/c.s.Groups*sizeOf(c.s.Window.Kernel)*sizeOf(c.s.Window.Out))
	f.run("ConvGradWeight", 1e-4*float64(1+sizeOf(c.s.Window.Out)), ConvGradWeight[float32], ConvGradWeight[float64], make([]float32, len(c.w)), narrow32(c.exactFirst), c.x, scratchMemory{cols}, c.s)
}

// adjacent computes several places of a line together.
func (c *convFence) adjacent(f *fence, places int) {
	win := c.s.Window
	last := len(win.Kernel) - 1
	if c.s.Groups > 1 || win.Dilation[last] > 1 {
		return
	}
	lines, taps, step := sizeOf(win.Kernel[:last]), win.Kernel[last], win.Stride[last]
	p := slicesOf(PackConvAdjacent32Size(c.s.Filters, c.s.Channels, lines, taps, step, places), float32(nan))
	f.run("PackConvAdjacent32", 0, PackConvAdjacent32, atPortable(PackConvAdjacent32), p, c.w, c.s.Filters, c.s.Channels, lines, taps, step, places)
	PackConvAdjacent32(p, c.w, c.s.Filters, c.s.Channels, lines, taps, step, places)
	f.run("ConvLastAdjacent32", c.tol, ConvLastAdjacent32, func(dst, x, w, bias []float64, s ConvShape, _ int, act Act) {
		c.lastSums(dst, x, w, bias, nil, s, act)
	}, unwritten(c.size()), c.last, p, c.bias, c.s, places, ActRelu)
}

// winograd transforms tiles of side×side pixels.
func (c *convFence) winograd(f *fence, side int) {
	p, depth := c.packed(f), c.s.Channels/c.s.Groups
	u := packWinograd(c.w, c.s.Channels, c.s.Filters, c.s.Groups, side)
	what := fmt.Sprintf("of %d×%d pixels", side, side)
	filters := func(p []float32) []float32 {
		switch {
		case side == 2:
			return WinogradSmall32(p, depth, c.s.Filters, c.s.Groups)
		case c.s.Groups > 1:
			return WinogradGroups32(p, depth, c.s.Filters, c.s.Groups)
		}
		return WinogradFilters32(p, depth, c.s.Filters)
	}
	f.run("Winograd filters "+what, 1e-6, func(dst, p []float32) { copy(dst, filters(p)) }, atPortable(func(dst, p []float32) { copy(dst, filters(p)) }), unwritten(len(u)), p)
	f.run("Winograd32 "+what, 1e-3, Winograd32, c.lastSums, unwritten(c.size()), c.last, u, c.bias, c.res, c.s, ActSilu)
	wide := c.s.Filters + 3
	f.run("WinogradInto32 "+what, 1e-3, WinogradInto32, c.into, slicesOf(c.size()/c.s.Filters*wide, float32(7)), c.last, u, c.bias, c.s, ActRelu, wide, 3)
}

// Convolutions stay within their operands.
func TestFenceConvolutions(t *testing.T) {
	fenced(t, func(f *fence) {
		rng := rand.New(rand.NewPCG(1, 2))
		lastCases(func(_ string, images, channels, filters, groups int, win Window) {
			c := newConvFence(rng, images, channels, filters, groups, win)
			c.run(f, rng)
			c.adjacent(f, 2+rng.IntN(7))
		})
		for i := range 6 * 17 * 3 { // each number of places in a tile, with rows of the image that are whole patches and others
			filters, places := []int{2, 5, 8, 12, 16, 30}[i%6], 1+i/6%17
			pad := []int{0, 1, 0}[i/102]
			c := newConvFence(rng, 1, 2+i%7, filters, 1, window([]int{2 + i/102%2, places + 2 - 2*pad}, []int{2, 3}, []int{1, 1}, []int{1, 1}, []int{0, pad}, []int{0, pad}))
			f.run("ConvLast32", c.tol, ConvLast32, c.lastSums, unwritten(c.size()), c.last, c.packed(f), c.bias, c.res, c.s, ActRelu)
		}
		adjacentCases(func(_ string, images, channels, filters, places int, win Window) {
			newConvFence(rng, images, channels, filters, 1, win).adjacent(f, places)
		})
	})
}

// Convolutions by transforms stay within their operands.
func TestFenceWinograd(t *testing.T) {
	fenced(t, func(f *fence) {
		rng := rand.New(rand.NewPCG(3, 4))
		winogradCases(func(_ string, images, channels, filters, groups int, win Window) {
			c := newConvFence(rng, images, channels, filters, groups, win)
			c.winograd(f, 2)
			c.winograd(f, 4)
		})
	})
}

// Convolutions of each channel, and pools, stay within their operands.
func TestFenceDepthwise(t *testing.T) {
	fenced(t, func(f *fence) {
		rng := rand.New(rand.NewPCG(5, 6))
		cases := func(images, channels int, win Window) {
			if len(win.In) > 2 {
				return
			}
			c, taps := newConvFence(rng, images, channels, channels, channels, win), sizeOf(win.Kernel)
			p, s := slicesOf(PackDepthwise32Size(channels, taps), float32(nan)), DepthwiseShape{Images: images, Channels: channels, Window: win}
			f.run("PackDepthwise32", 0, PackDepthwise32, atPortable(PackDepthwise32), p, c.w, channels, taps)
			PackDepthwise32(p, c.w, channels, taps)
			exact := func(dst, x, w, bias, res []float64, _ DepthwiseShape, act Act) {
				c.lastSums(dst, x, w, bias, res, c.s, act)
			}
			f.run("Depthwise32", 1e-4, Depthwise32, exact, unwritten(c.size()), c.last, p, c.bias, nil, s, ActRelu6)
			f.run("Depthwise32 with a residual", 1e-4, Depthwise32, exact, unwritten(c.size()), c.last, p, nil, c.res, s, ActSilu)
			if taps == 1 {
				f.run("ScaleLast32", 1e-4, ScaleLast32, exact, unwritten(c.size()), c.last, p, c.bias, c.res, s, ActRelu)
			}
			fencePools(f, c)
		}
		slideCases(func(_ string, images, channels int, win Window) { cases(images, channels, win) })
		lastCases(func(_ string, images, channels, _, _ int, win Window) { cases(images, channels, win) })
		for channels := 1; channels <= 130; channels++ {
			cases(1, channels, window([]int{3, 4}, []int{2, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{0, 1}))
			quarter := window([]int{3 + channels%2, 2 + channels}, []int{2, 2}, []int{2, 2}, []int{1, 1}, []int{0, 0}, []int{0, 0})
			fencePools(f, newConvFence(rng, 1, 2, 2, 2, quarter))
			cases(1, channels, window([]int{3, 4}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{0, 0}, []int{0, 0}))
		}
	})
}

// fencePools runs pools with the windows of a convolution.
func fencePools(f *fence, c *convFence) {
	images, channels, win := c.s.Images, c.s.Channels, c.s.Window
	first := func(pool func(dst, x []float64)) func(dst []float64) {
		return func(dst []float64) {
			planes := make([]float64, len(dst))
			pool(planes, widen64(c.x))
			copy(dst, channelsLast(planes, images, channels))
		}
	}
	f.run("MaxPoolLast32", 0, MaxPoolLast32, func(dst, _ []float64, _, _ int, _ Window) {
		first(func(dst, x []float64) { MaxPool(dst, x, images*channels, win) })(dst)
	}, unwritten(c.size()), c.last, images, channels, win)
	f.run("AveragePoolLast32", 1e-5, AveragePoolLast32, func(dst, _ []float64, _, _ int, padded bool, _ Window) {
		first(func(dst, x []float64) { AveragePool(dst, x, images*channels, padded, win) })(dst)
	}, unwritten(c.size()), c.last, images, channels, c.s.Filters%2 == 0, win)
	f.run("MaxPool", 0, MaxPool[float32], MaxPool[float64], unwritten(c.size()), c.x, images*channels, win)
	f.run("AveragePool", 1e-5, AveragePool[float32], AveragePool[float64], unwritten(c.size()), c.x, images*channels, true, win)
	f.run("MaxPoolIndices", 0, MaxPoolIndices[float32], MaxPoolIndices[float64], unwritten(c.size()), make([]int64, c.size()), c.x, images*channels, false, win)
	bytes := make([]int8, len(c.last))
	for i, v := range c.last {
		bytes[i] = int8(v * 100)
	}
	f.run("MaxPoolLast8", 0, MaxPoolLast8[int8], atPortable(MaxPoolLast8[int8]), make([]int8, c.size()), bytes, images, channels, win)
	unsigned := make([]uint8, len(bytes))
	for i, v := range bytes {
		unsigned[i] = uint8(int(v) + 128)
	}
	f.run("MaxPoolLast8 uint8", 0, MaxPoolLast8[uint8], atPortable(MaxPoolLast8[uint8]), make([]uint8, c.size()), unsigned, images, channels, win)
	row := make([]float32, win.Out[len(win.Out)-1])
	f.run("AveragePoolGrad", 1e-4, AveragePoolGrad[float32], AveragePoolGrad[float64], make([]float32, len(c.x)), c.res, scratchMemory{row}, images*channels, false, false, win)
	index := make([]int64, len(row))
	f.run("MaxPoolGrad", 1e-4, MaxPoolGrad[float32], MaxPoolGrad[float64], make([]float32, len(c.x)), c.res, c.x, scratchMemory{row}, scratchMemory{index}, images*channels, win)
}

// Transposed convolutions stay within their operands.
func TestFenceTransposedConvolutions(t *testing.T) {
	fenced(t, func(f *fence) {
		rng := rand.New(rand.NewPCG(7, 8))
		lastCases(func(_ string, images, channels, filters, groups int, win Window) {
			if groups > 1 {
				return
			}
			taps, places := sizeOf(win.Kernel), sizeOf(win.Out)
			s := ConvShape{Images: images, Channels: channels, Filters: filters, Groups: 1, Window: win}
			x, w, bias := randoms(rng, images*channels*places), randoms(rng, channels*filters*taps), randoms(rng, filters)
			size, tol := images*filters*sizeOf(win.In), 1e-5*float64(channels*taps+4)
			cols := make([]float32, filters*taps*places)
			f.run("ConvTranspose", tol, ConvTranspose[float32], ConvTranspose[float64], unwritten(size), x, w, bias, scratchMemory{cols}, s)
			p := slicesOf(PackConvTranspose32Size(channels, filters, taps), float32(nan))
			f.run("PackConvTranspose32", 0, PackConvTranspose32, atPortable(PackConvTranspose32), p, w, channels, filters, taps)
			PackConvTranspose32(p, w, channels, filters, taps)
			f.run("ConvTransposeLast32", tol, ConvTransposeLast32, func(dst, _, _, bias []float64, images, channels, filters int, win Window) {
				planes := make([]float64, len(dst))
				ConvTranspose(planes, widen64(x), widen64(w), bias, make([]float64, len(cols)), s)
				copy(dst, channelsLast(planes, images, filters))
			}, unwritten(size), channelsLast(x, images, channels), p, bias, images, channels, filters, win)
		})
	})
}

// Convolutions of bytes stay within their operands.
func TestFenceByteConvolutions(t *testing.T) { fenced(t, fenceByteConvolutions) }

func fenceByteConvolutions(f *fence) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, c := range byteConvCases {
		fenceByteConv[int8](f, rng, newByteConvTest[int8](rng, c.channels, c.filters, c.groups, c.win))
		fenceByteConv[uint8](f, rng, newByteConvTest[uint8](rng, c.channels, c.filters, c.groups, c.win))
	}
	small := window([]int{3, 4}, []int{2, 2}, []int{1, 1}, []int{1, 1}, []int{1, 0}, []int{0, 1})
	for n := 1; n <= 70; n++ {
		fenceByteConv[int8](f, rng, newByteConvTest[int8](rng, n, n, n, small))
		fenceByteConv[uint8](f, rng, newByteConvTest[uint8](rng, 1+n%9, 71-n, 1, small))
	}
	for n := 1; n <= 6; n++ {
		fenceByteConv[uint8](f, rng, newByteConvTest[uint8](rng, 1+n, 8+2*n, 1, window([]int{1, n + 1}, []int{1, 2}, []int{1, 1}, []int{1, 1}, []int{0, 0}, []int{0, 0})))
		fenceByteConv[int8](f, rng, newByteConvTest[int8](rng, 8*n, 9+n, 1, window([]int{1, n}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{0, 0}, []int{0, 0})))
	}
	ones := []int{1, 1}
	for side := 1; side <= 10; side++ {
		win := window([]int{side + 2, 13 - side}, []int{3, 3}, ones, ones, []int{side % 2, 1}, []int{1, side % 3 % 2})
		fenceByteWinograd(f, rng, 16*(1+side%3), 16*(1+side%4), win)
	}
}

func fenceByteConv[X int8 | uint8](f *fence, rng *rand.Rand, b *byteConvTest[X]) {
	depth, taps, joined := b.channels/b.groups, volume(b.win.Kernel), JoinedTaps(b.groups, b.win)
	s := ConvShape{Images: 2, Channels: b.channels, Filters: b.filters, Groups: b.groups, Window: b.win}
	p := make([]int8, PackConv8Size(b.filters, depth, taps, joined, b.groups))
	f.run("PackConv8", 0, PackConv8, atPortable(PackConv8), p, b.w, b.filters, depth, taps, joined, b.groups)
	PackConv8(p, b.w, b.filters, depth, taps, joined, b.groups)
	q := Requant{Add: make([]int32, b.filters), Mult: positive(rng, b.filters), Shift: b.zeros()}
	totals := make([]int32, b.filters)
	for m := range q.Add {
		q.Add[m], q.Mult[m] = int32(rng.IntN(2000)-1000), q.Mult[m]/500
		for _, v := range row(b.w, m, depth*taps) {
			totals[m] += int32(v) - b.shift[m]
		}
	}
	wide := q
	wide.Mult = nil
	f.run("QConv int32", 0, QConv[int32, X], func(dst []int32, _ []X, _ []int8, q Requant, _ int, _ ConvShape) {
		for i, v := range b.want {
			dst[i] = v + q.Add[i%b.filters]
		}
	}, make([]int32, len(b.want)), b.last, p, wide, int(b.padding), s)
	f.run("QConv uint8", 0, QConv[uint8, X], atPortable(QConv[uint8, X]), make([]uint8, len(b.want)), b.last, p, q, int(b.padding), s)
	f.run("QConv float32", 0, QConv[float32, X], atPortable(QConv[float32, X]), unwritten(len(b.want)), b.last, p, q, int(b.padding), s)
	f.run("ConvIntegerLast", 0, ConvIntegerLast[X], atPortable(ConvIntegerLast[X]), make([]int32, len(b.want)), b.last, p, totals, b.shift, []X{b.padding}, s)
	zeros := make([]int8, b.filters)
	for i := range zeros {
		zeros[i] = int8(b.shift[i])
	}
	f.run("ConvInteger", 0, ConvInteger[X, int8], atPortable(ConvInteger[X, int8]), make([]int32, len(b.want)), b.x, b.w, []X{b.padding}, zeros, totals, s)
	if depth > 1 || b.filters != b.groups || b.filters < 2 {
		return
	}
	d := DepthwiseShape{Images: 2, Channels: b.channels, Window: b.win}
	p = make([]int8, PackDepth8Size(b.channels, taps))
	f.run("PackDepth8", 0, PackDepth8, atPortable(PackDepth8), p, b.w, b.channels, taps)
	PackDepth8(p, b.w, b.channels, taps)
	q.Shift = nil
	f.run("QDepthwise uint8", 0, QDepthwise[uint8, X], atPortable(QDepthwise[uint8, X]), make([]uint8, len(b.want)), b.last, p, q, int(b.padding), d)
	f.run("QDepthwise float32", 0, QDepthwise[float32, X], atPortable(QDepthwise[float32, X]), unwritten(len(b.want)), b.last, p, q, int(b.padding), d)
	f.run("DepthwiseInteger", 0, DepthwiseInteger[X], atPortable(DepthwiseInteger[X]), make([]int32, len(b.want)), b.last, p, totals, []X{b.padding}, d)
}

func fenceByteWinograd(f *fence, rng *rand.Rand, channels, filters int, win Window) {
	b := newByteWinogradTest(rng, channels, filters, 2, randomInt8s[int8](rng, channels*filters*9), win)
	u := winogradFilters8(b.packed, channels, filters)
	f.run("winogradFilters8", 0, func(dst, p []int8) { copy(dst, winogradFilters8(p, channels, filters)) }, func(dst, _ []int8) { copy(dst, u) }, make([]int8, len(u)), b.packed)
	x, size := randomInt8s[uint8](rng, 2*channels*volume(win.In)), 2*filters*volume(win.Out)
	f.run("QConvWinograd uint8", 0, QConvWinograd[uint8, uint8], func(dst, x []uint8, p, _ []int8, q Requant, padding int, s ConvShape) {
		QConv(dst, x, p, q, padding, s)
	}, make([]uint8, size), x, b.packed, u, b.q, 7, b.shape())
	f.run("QConvWinograd float32", 0, QConvWinograd[float32, uint8], func(dst []float32, x []uint8, p, _ []int8, q Requant, padding int, s ConvShape) {
		QConv(dst, x, p, q, padding, s)
	}, unwritten(size), x, b.packed, u, b.q, 7, b.shape())
	f.run("ConvIntegerWinograd", 0, ConvIntegerWinograd[uint8], func(dst []int32, x []uint8, p, _ []int8, totals, shift []int32, xzp []uint8, s ConvShape) {
		ConvIntegerLast(dst, x, p, totals, shift, xzp, s)
	}, make([]int32, size), x, b.packed, u, b.q.Add, make([]int32, filters), []uint8{7}, b.shape())
}
