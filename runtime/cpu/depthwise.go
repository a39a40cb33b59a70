package cpu

// PackDepthwise32Size returns how many floats [PackDepthwise32] writes.
func PackDepthwise32Size(channels, taps int) int { return channels * taps }

// PackDepthwise32 writes filters of one channel each, [channels, taps], as [taps, channels].
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
func Depthwise32(dst, x, w, bias, res []float32, s DepthwiseShape, act Act) {
	depthwise32(dst, x, w, bias, res, s, act, tapWeights{(*tapTask).slideLines, (*tapRun).weighted})
}

// ScaleLast32 is [Depthwise32] for filters of one tap: it scales each channel, and adds its bias.
func ScaleLast32(dst, x, w, bias, res []float32, s DepthwiseShape, act Act) {
	depthwise32(dst, x, w, bias, res, s, act, tapWeights{fold: (*tapRun).weighted})
}

// depthwise32 is Depthwise32, computed by the given functions.
func depthwise32(dst, x, w, bias, res []float32, s DepthwiseShape, act Act, weights tapWeights) {
	if len(dst) == 0 {
		return
	}
	var none []float32
	if bias == nil {
		none = scratch.get(s.Channels)
		clear(none)
		bias = none
	}
	t := tapTasks.get()
	*t = tapTask{
		dst: dst, x: x, w: w, bias: bias, res: res, channels: s.Channels, act: act, grid: newGrid(s.Window),
		kind: tapsWeighted, weights: weights,
	}
	t.do(s.Images)
	scratch.put(none)
}
