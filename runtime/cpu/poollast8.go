package cpu

// MaxPoolLast8 is [MaxPool] for images of bytes with the channels last, over one or two spatial axes.
func MaxPoolLast8[T int8 | uint8](dst, x []T, images, channels int, win Window) {
	if len(dst) == 0 {
		return
	}
	t := bytePools.get()
	*t = bytePool{dst: asBytes(dst), x: asBytes(x), channels: channels, signed: signed[T](), lowest: byte(lowest[T]()), grid: newGrid(win)}
	lines := images * t.oh
	cost := t.ow*t.kw*(4+channels/16) + t.iw*t.kh*channels/16 // of a line, in nanoseconds
	t.perTurn = max(1, 2000/(cost+1))
	t.lines = lines
	parallel((lines+t.perTurn-1)/t.perTurn, lines*cost, t)
	*t = bytePool{}
	bytePools.put(t)
}

var bytePools freelist[bytePool]

// bytePool is the task of [MaxPoolLast8]. A turn computes a few lines.
type bytePool struct {
	dst, x         []byte
	channels       int
	signed         bool
	lowest         byte
	lines, perTurn int
	grid
}

func (t *bytePool) run(i int) {
	buf, tall := scratchBytes(t.iw * t.channels)
	for l := i * t.perTurn; l < min((i+1)*t.perTurn, t.lines); l++ {
		t.line(l, tall)
	}
	scratch.put(buf)
}

// line computes line l. Tall has room for the maximum of each column of the window.
func (t *bytePool) line(l int, tall []byte) {
	image, y := l/t.oh*t.ih, l%t.oh*t.sh-t.ph
	from, to := tapsInside(y, t.ih, t.kh, t.dh)
	for k := from; k < to; k++ {
		row := t.x[(image+y+k*t.dh)*len(tall):][:len(tall)]
		if k == from {
			copy(tall, row)
		} else {
			maxBytes(tall, row, t.signed)
		}
	}
	for o := range t.ow {
		d, x := t.dst[(l*t.ow+o)*t.channels:][:t.channels], o*t.sw-t.pw
		left, right := tapsInside(x, t.iw, t.kw, t.dw)
		if from >= to || left >= right {
			fill(d, t.lowest)
			continue
		}
		copy(d, tall[(x+left*t.dw)*t.channels:])
		for k := left + 1; k < right; k++ {
			maxBytes(d, tall[(x+k*t.dw)*t.channels:], t.signed)
		}
	}
}

// maxBytesGo makes each byte of dst the larger of itself and that of x.
func maxBytesGo(dst, x []byte, signed bool) {
	x = x[:len(dst)]
	for i, v := range x {
		if signed {
			dst[i] = byte(max(int8(dst[i]), int8(v)))
		} else {
			dst[i] = max(dst[i], v)
		}
	}
}
