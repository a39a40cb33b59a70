package cpu

// byteWinogradSums is the task of adding up the bytes of lines of windows, for filters with shifts. A turn is a line of all
// images.
//
//	for i := range ow {
//		sums[line, i] = Σ x[line, i-pw+k, c] // of three pixels k and all channels c
//	}
type byteWinogradSums byteWinograd

// cost estimates the nanoseconds of a turn.
func (t *byteWinogradSums) cost() int { return t.iw * (t.channels/32 + 5) }

func (t *byteWinogradSums) run(line int) {
	n := t.channels
	src := t.x[line*t.iw*n:][:t.iw*n]
	var buf []float32
	if t.flip != 0 {
		var own []byte
		buf, own = scratchBytes(len(src))
		flipBytes(own, src, t.flip)
		src = own
	}
	sumBuf, pixels := scratchInts(t.iw)
	sumRuns(pixels, src, n, oneRun, n)
	dst := t.sums[line*t.ow:][:t.ow]
	clear(dst)
	for p := range t.ow + 2 { // pixels of the windows
		sum := t.outside()
		if at := p - t.pw; at >= 0 && at < t.iw {
			sum = pixels[at]
		}
		for i := max(0, p-2); i < min(p+1, t.ow); i++ {
			dst[i] += sum
		}
	}
	scratch.put(sumBuf)
	scratch.put(buf)
}

// outside returns the sum of a pixel of the padding.
func (t *byteWinogradSums) outside() int32 { return int32(t.channels) * int32(t.padding^t.flip) }

// windowSums sets dst to the sums of the windows of pixels from (y, x) on.
func (w *byteWinograd) windowSums(dst []int32, image, y, x int) {
	clear(dst)
	for k := range 3 {
		at := y - w.ph + k
		if at < 0 || at >= w.ih {
			for i := range dst {
				dst[i] += 3 * (*byteWinogradSums)(w).outside()
			}
			continue
		}
		for i, v := range w.sums[(image*w.ih+at)*w.ow+x:][:len(dst)] {
			dst[i] += v
		}
	}
}
