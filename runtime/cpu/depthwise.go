package cpu

import "math"

// PackDepthwise32Size returns how many floats [PackDepthwise32] writes.
func PackDepthwise32Size(channels, taps int) int { return channels * taps }

// PackDepthwise32 writes filters of one channel each, [channels, taps], as
// [taps, channels].
func PackDepthwise32(dst, w []float32, channels, taps int) {
	transposeAll(dst[:channels*taps], w, channels, taps)
}

// Depthwise32 is [ConvLast32] for as many groups as there are channels and
// filters, over one or two spatial axes. [PackDepthwise32] has packed the
// filters.
//
//	for n, o, c := range dst { // image, place, channel
//		sum := bias[c]
//		for k := range w { // tap
//			sum += w[k, c] * x[n, o·stride + k·dilation - pad, c]
//		}
//		dst[n, o, c] = act(sum + res[n, o, c])
//	}
func Depthwise32(dst, x, w, bias, res []float32, images, channels int, win Window, act Act) {
	if len(dst) == 0 {
		return
	}
	t := depthwises.get()
	*t = depthwise{dst: dst, x: x, w: w, bias: bias, res: res, channels: channels, act: act, grid: newGrid(win)}
	if bias == nil {
		t.none = scratch.get(channels)
		clear(t.none)
		t.bias = t.none
	}
	lines := images * t.oh
	t.perTurn = max(1, 16384/(t.ow*channels*(t.kh*t.kw+2)/8+1))
	parallel((lines+t.perTurn-1)/t.perTurn, lines*t.ow*channels*(t.kh*t.kw+4)/20, t)
	scratch.put(t.none)
	*t = depthwise{}
	depthwises.put(t)
}

var depthwises freelist[depthwise]

// depthwise is the task of a depthwise convolution. A turn computes a few lines.
type depthwise struct {
	dst, x, w, bias, res []float32
	none                 []float32
	channels             int
	act                  Act
	grid
	perTurn int
}

func (t *depthwise) run(i int) {
	lines := len(t.dst) / (t.ow * t.channels)
	for l := i * t.perTurn; l < min((i+1)*t.perTurn, lines); l++ {
		t.runLine(l)
	}
}

func (t *depthwise) runLine(l int) {
	n := t.ow * t.channels
	d := t.dst[l*n:][:n]
	size := t.ih * t.iw * t.channels
	var k tapLine
	k.init(&t.grid, d, t.x[l/t.oh*size:][:size], t.w, t.channels, l%t.oh)
	k.bias = t.bias
	rest := t.act
	if t.res == nil {
		k.low, k.high, rest = t.act.bounds()
	}
	for x := 0; x < t.ow; {
		pixels := k.seek(x)
		if k.rows > 0 && k.taps > 0 {
			k.weighted(pixels)
		} else {
			copy(k.dst[:t.channels], t.bias)
			VecMaxS32(k.dst[:t.channels], k.dst[:t.channels], k.low)
			VecMinS32(k.dst[:t.channels], k.dst[:t.channels], k.high)
		}
		x += pixels
	}
	if t.res != nil {
		VecAdd32(d, d, t.res[l*n:][:n])
	}
	rest.apply(d)
}

// bounds takes from an activation what is no more than keeping between two
// bounds; rest is what is left to do.
func (act Act) bounds() (low, high float32, rest Act) {
	low, high = float32(math.Inf(-1)), float32(math.Inf(1))
	switch act {
	case ActRelu:
		return 0, high, ActNone
	}
	return low, high, act
}
