package cpu

// GroupNormShape is the sizes of [GroupNormLast32]: images of Lines×Width pixels.
type GroupNormShape struct{ Images, Groups, Channels, Lines, Width int }

// GroupNormLast32 is [GroupNorm] for images with the channels last.
func GroupNormLast32(dst, x, scale, bias []float32, s GroupNormShape, eps float64) {
	if len(dst) == 0 {
		return
	}
	own := scratch.get(5 * s.Channels)
	ones, mean, squares := own[:s.Channels], own[s.Channels:2*s.Channels], own[2*s.Channels:3*s.Channels]
	a, b := own[3*s.Channels:4*s.Channels], own[4*s.Channels:5*s.Channels]
	size := s.Lines * s.Width * s.Channels
	pixels := Window{
		In: []int{s.Lines, s.Width}, Out: []int{s.Lines, s.Width}, Kernel: []int{1, 1}, Stride: []int{1, 1},
		Dilation: []int{1, 1}, Pad: []int{0, 0}, PadEnd: []int{0, 0},
	}
	for i := range s.Images {
		x, dst := x[i*size:][:size], dst[i*size:][:size]
		fill(ones, 1)
		lineSums(mean, x, nil, s.Lines, s.Width, own[3*s.Channels:])
		VecMulS32(mean, mean, 1/float32(s.Lines*s.Width))
		VecMulS32(b, mean, -1)
		ScaleLast32(dst, x, ones, b, nil, DepthwiseShape{Images: 1, Channels: s.Channels, Window: pixels}, ActNone)
		lineSums(squares, dst, dst, s.Lines, s.Width, own[3*s.Channels:])
		groupScales(a, b, mean, squares, scale, bias, groupSizes{s.Channels / s.Groups, float32(s.Lines * s.Width), float32(eps)})
		ScaleLast32(dst, x, a, b, nil, DepthwiseShape{Images: 1, Channels: s.Channels, Window: pixels}, ActNone)
	}
	scratch.put(own)
}

// groupSizes is the channels of a group, the pixels of an image, and what is added to variances.
type groupSizes struct {
	per         int
	pixels, eps float32
}

// groupScales computes the factors and the offsets of channels from their means and the sums of their squared
// distances from the means.
func groupScales(a, b, mean, squares, scale, bias []float32, s groupSizes) {
	per, pixels := s.per, s.pixels
	for g := 0; g < len(a); g += per {
		m, v := float32(0), float32(0)
		for _, x := range mean[g : g+per] {
			m += x
		}
		m /= float32(per)
		for i, x := range mean[g : g+per] {
			v += squares[g+i] + float32(float32((x-m)*(x-m))*pixels)
		}
		f := invSqrt(v/(pixels*float32(per)) + s.eps)
		for c := g; c < g+per; c++ {
			k := c * len(scale) / len(a)
			a[c] = f * scale[k]
			b[c] = bias[k] - float32(m*a[c])
		}
	}
}

// lineSums sums the pixels of x line by line, each multiplied by that of y unless y is nil. tmp needs two
// pixels.
func lineSums(sums, x, y []float32, lines, width int, tmp []float32) {
	n := len(sums)
	zero, line := tmp[:n], tmp[n:2*n]
	clear(sums)
	clear(zero)
	k := tapRun{dst: line, bias: zero, channels: n, rows: 1, taps: width, xTap: n, wTap: n, count: 1}
	k.low, k.high, _ = ActNone.bounds()
	for l := range lines {
		k.x = x[l*width*n:][:width*n]
		if y == nil {
			k.total(1)
		} else {
			k.w = y[l*width*n:][:width*n]
			k.weighted(1)
		}
		VecAdd32(sums, sums, line)
	}
}
