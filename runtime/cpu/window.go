package cpu

// Window tells how a kernel slides over the spatial axes of its input: on each axis, output o reads input
// o·Stride + k·Dilation - Pad for k below Kernel, if that is in the input. PadEnd is the padding after the
// last input.
type Window struct {
	In, Out, Kernel, Stride, Dilation, Pad, PadEnd []int
}

// ConvShape is the sizes of a convolution: Channels of each image, and as many of the result as there are
// Filters. Both are divided among the Groups; a filter reads the channels of its group.
type ConvShape struct {
	Images, Channels, Filters, Groups int
	Window                            Window
}

// DeformShape is the sizes of a deformable convolution: those of [ConvShape], and the number of groups of channels
// that share offsets. [DeformSample] reads neither Filters nor Groups.
type DeformShape struct {
	Images, Channels, Filters, Groups, OffsetGroups int
	Window                                          Window
}

// DepthwiseShape is the sizes of a convolution of each channel with a filter of its own.
type DepthwiseShape struct {
	Images, Channels int
	Window           Window
}

// slide iterates over a [Window] row by row. A row of the output is its last axis. For every row it iterates
// over the taps of the outer axes, each of which reads one row of the input, and for each of those over the
// taps of the last axis.
type slide struct {
	rank                                    int // outer axes
	in, out, kernel, stride, dilation, pads [maxRank]int
	step                                    [maxRank]int // of the input, along the outer axes
	o, k                                    [maxRank]int // the present row and its tap
	inRow, outRow, taps                     int          // elements of the last axis
	rowStride, rowDilation, rowPad          int
	rowPadEnd                               int
	rows                                    int // of the output
	inSize                                  int // of all axes
	kernelSize                              int
	src, tap                                int // set by nextTap: an input row, and the first tap of the kernel's row
	spans                                   [8]span
}

// span is the outputs lo to hi-1 that a tap of the last axis contributes to. Output lo reads element at of
// the input row. Invariant: 0 <= lo <= hi <= outRow, also for a tap that reads only padding.
type span struct{ lo, hi, at int }

func (s *slide) init(w Window) {
	last := len(w.In) - 1
	s.rank = last
	s.inRow, s.outRow, s.taps = w.In[last], w.Out[last], w.Kernel[last]
	s.rowStride, s.rowDilation, s.rowPad, s.rowPadEnd = w.Stride[last], w.Dilation[last], w.Pad[last], w.PadEnd[last]
	s.rows, s.inSize, s.kernelSize = 1, s.inRow, s.taps
	for i := last - 1; i >= 0; i-- {
		s.in[i], s.out[i], s.kernel[i] = w.In[i], w.Out[i], w.Kernel[i]
		s.stride[i], s.dilation[i], s.pads[i] = w.Stride[i], w.Dilation[i], w.Pad[i]
		s.step[i] = s.inSize
		s.rows *= w.Out[i]
		s.inSize *= w.In[i]
		s.kernelSize *= w.Kernel[i]
	}
	for k := range min(s.taps, len(s.spans)) {
		s.spans[k] = s.newSpan(k)
	}
}

// seek goes to a row of the output, before its first tap.
func (s *slide) seek(row int) {
	for i := s.rank - 1; i >= 0; i-- {
		s.o[i] = row % s.out[i]
		row /= s.out[i]
	}
	s.rewind()
}

// nextRow goes to the next row, before its first tap.
func (s *slide) nextRow() {
	for i := s.rank - 1; i >= 0; i-- {
		if s.o[i]++; s.o[i] < s.out[i] {
			break
		}
		s.o[i] = 0
	}
	s.rewind()
}

// rewind goes before the first tap of the present row.
func (s *slide) rewind() {
	clear(s.k[:s.rank])
	s.tap = -s.taps
}

// nextTap goes to the next tap in the input, and reports whether there is one.
func (s *slide) nextTap() bool {
	for {
		if s.tap += s.taps; s.tap >= s.kernelSize {
			return false
		}
		if s.tap > 0 {
			for i := s.rank - 1; i >= 0; i-- {
				if s.k[i]++; s.k[i] < s.kernel[i] {
					break
				}
				s.k[i] = 0
			}
		}
		if s.meet() {
			return true
		}
	}
}

// meet sets src to the input row of the present tap, and reports whether there is one.
func (s *slide) meet() bool {
	s.src = 0
	for i := range s.rank {
		at := s.o[i]*s.stride[i] + s.k[i]*s.dilation[i] - s.pads[i]
		if at < 0 || at >= s.in[i] {
			return false
		}
		s.src += at * s.step[i]
	}
	return true
}

// span returns the span of tap k. Those of the first taps are stored, as they need divisions.
func (s *slide) span(k int) (lo, hi, at int) {
	if k >= len(s.spans) {
		p := s.newSpan(k)
		return p.lo, p.hi, p.at
	}
	p := &s.spans[k]
	return p.lo, p.hi, p.at
}

func (s *slide) newSpan(k int) span {
	off := k*s.rowDilation - s.rowPad
	lo, hi := 0, 0
	if off < 0 {
		lo = (-off + s.rowStride - 1) / s.rowStride
	}
	if n := s.inRow - off; n > 0 {
		hi = min((n+s.rowStride-1)/s.rowStride, s.outRow)
	}
	return span{min(lo, hi), hi, lo*s.rowStride + off}
}

// slideOver folds the windows over each plane of x into dst. Each row begins with start. Take folds in the
// elements of a tap, stride apart. End completes a row; its argument is the place of the row on each axis.
func slideOver[T any](dst, x []T, planes int, start T, win Window, take func(d, x []T, stride int), end func(d []T, row [maxRank]int)) {
	if len(dst) == 0 {
		return
	}
	var s slide
	s.init(win)
	for p := range planes {
		src := x[p*s.inSize:][:s.inSize]
		s.seek(0)
		for r := range s.rows {
			d := dst[(p*s.rows+r)*s.outRow:][:s.outRow]
			fill(d, start)
			for s.nextTap() {
				row := src[s.src:][:s.inRow]
				for k := range s.taps {
					if lo, hi, at := s.span(k); lo < hi {
						take(d[lo:hi], row[at:], s.rowStride)
					}
				}
			}
			end(d, s.o)
			s.nextRow()
		}
	}
}
