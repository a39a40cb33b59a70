package cpu

// Winograd32 is [ConvLast32] for filters of 3×3 taps that are applied at every pixel; u is the result of
// [WinogradFilters32], or of [WinogradGroups32] if there are groups. It computes a tile of 4×4 pixels from the 6×6 on which it depends: F(4×4, 3×3) of
// Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks". If u is the result of [WinogradSmall32], it computes tiles of 2×2 pixels from 4×4: F(2×2, 3×3).
//
//	for each tile, filter f := range dst {
//		for t := range 36 {
//			for c := range channels {
//				m[t] += u[t, c, f] * v[t, c] // the tile's pixels, transformed
//			}
//		}
//		tile = act(transform(m) + bias[f] + res)
//	}
//
// This takes a quarter of the products, and 16 instead of 36 transforms 4/9 of them. The error is below 2⁻¹⁶ of the standard deviation of the sums, if
// pixels and filters are of about the same magnitude; that of tiles of 2×2 pixels is below 2⁻¹⁸, and that of [ConvLast32] about 2⁻²⁰. A pixel that is not
// finite affects all pixels of its tiles, as their transforms add and subtract it.
func Winograd32(dst, x, u, bias, res []float32, s ConvShape, act Act) {
	winograd32(dst, x, u, bias, res, s, act, s.Filters)
}

// WinogradInto32 is [Winograd32] for columns at to at+filters-1 of a dst with width columns. The other
// columns are unchanged.
func WinogradInto32(dst, x, u, bias []float32, s ConvShape, act Act, width, at int) {
	if len(dst) > 0 {
		winograd32(dst[at:], x, u, bias, nil, s, act, width)
	}
}

// winograd32 is Winograd32 with pixels of dst that are width floats apart.
func winograd32(dst, x, u, bias, res []float32, s ConvShape, act Act, width int) {
	if len(dst) == 0 {
		return
	}
	groups := max(s.Groups, 1)
	channels, filters := s.Channels/groups, s.Filters/groups
	size := len(u) / groups
	side := 4
	if size < transforms(side)*PackB32Size(channels, filters) {
		side = 2
	}
	var none []float32
	if bias == nil {
		none = scratch.get(s.Filters)
		clear(none)
		bias = none
	}
	w := winograds.get()
	for g := range groups {
		*w = winograd{
			dst: dst[g*filters:], x: x[g*channels:], u: u[g*size:][:size], bias: bias[g*filters:], res: from(res, g*filters),
			channels: channels, filters: filters, pixel: s.Channels, width: width, grid: newGrid(s.Window), side: side,
		}
		w.th, w.tw = (w.oh+side-1)/side, (w.ow+side-1)/side
		w.tiles = s.Images * w.th * w.tw
		w.low, w.high, w.act = act.bounds()
		w.chunks = w.cut()
		parallel(w.chunks, w.tiles*transforms(side)*channels*filters/tileSpeed(), w)
	}
	*w = winograd{}
	winograds.put(w)
	scratch.put(none)
}

// transforms is the number of transforms of a tile of side×side pixels, of a channel.
func transforms(side int) int { return (side + 2) * (side + 2) }

var winograds freelist[winograd]

// winograd is the task of a convolution, or of a group of channels and filters. A turn computes all steps for a chunk of
// tiles, so that intermediate values stay in L2.
type winograd struct {
	dst, x, u, bias, res []float32
	channels, filters    int
	pixel                int // from a pixel of x to the next
	width                int // from a pixel of dst and res to the next
	grid
	side          int // of a tile in pixels: 4 or 2
	th, tw, tiles int // of an image, and of all
	chunks        int
	low, high     float32
	act           Act // the rest of the activation after the bounds
}

// twoTiles is the rows of two large micro-kernels.
const twoTiles = 28

// cut returns the number of chunks in which the tiles are computed: either enough for all threads, or one, with
// parts that are shared between them. Each chunk reads all of u.
func (w *winograd) cut() int {
	const floats = 1 << 18 // that stay in L2, of a chunk or of u
	most := max(twoTiles, floats/(transforms(w.side)*(w.channels+w.filters)))
	least := 12
	if transforms(w.side)*w.channels*w.filters > floats {
		least = twoTiles
	}
	threads := Threads()
	chunks := max((w.tiles+most-1)/most, min(4, w.tiles/twoTiles))
	switch {
	case chunks >= 3*threads:
		return chunks
	case w.tiles >= least*threads:
		return (chunks + threads - 1) / threads * threads
	default:
		return 1
	}
}

func (w *winograd) run(i int) {
	t0, t1 := i*w.tiles/w.chunks, (i+1)*w.tiles/w.chunks
	n := t1 - t0
	count := transforms(w.side)
	v, m := scratch.get(count*n*w.channels), scratch.get(count*n*w.filters)
	w.transform(winogradTask{winograd: w, t0: t0, n: n, v: v}, w.channels)
	g := gemms.get()
	*g = gemm{
		dst: m, a: v, b: w.u, batch: count, m: n, k: w.channels, n: w.filters, lda: w.channels, ldc: w.filters,
		strideA: n * w.channels, strideB: PackB32Size(w.channels, w.filters), strideC: n * w.filters,
	}
	g.do()
	gemms.put(g)
	w.transform(winogradTask{winograd: w, t0: t0, n: n, m: m}, w.filters)
	scratch.put(v)
	scratch.put(m)
}

// transform runs a task whose tiles have the given number of channels.
func (w *winograd) transform(task winogradTask, channels int) {
	t := winogradTasks.get()
	*t = task
	cost := transforms(w.side)*channels/16 + 20 // of a tile, in nanoseconds
	t.perTurn = 1 + 2000/cost
	parallel((t.n+t.perTurn-1)/t.perTurn, t.n*cost, t)
	*t = winogradTask{}
	winogradTasks.put(t)
}

var winogradTasks freelist[winogradTask]

// winogradTask is the task of transforming n tiles from t0 on: pixels to v, or m to pixels. A turn is a few
// tiles.
type winogradTask struct {
	*winograd
	t0, n   int
	v, m    []float32
	perTurn int
}

func (t *winogradTask) run(turn int) {
	own := scratch.get(2 * 36 * max(t.channels, t.filters, 16))
	for i := turn * t.perTurn; i < min((turn+1)*t.perTurn, t.n); i++ {
		tile := t.t0 + i
		image, y, x := tile/(t.th*t.tw), tile/t.tw%t.th*t.side, tile%t.tw*t.side
		if t.m == nil {
			t.in(i, image, y-t.ph, x-t.pw, own)
		} else {
			t.out(i, image, y, x, own)
		}
	}
	scratch.put(own)
}

// winogradTile is the argument of the transforms. All steps are in floats. Assembly uses the offsets of the
// fields.
type winogradTile struct {
	dst, src, tmp, bias, res []float32
	n                        int // channels
	pixel, row               int // from a pixel to the next one, and from a row of pixels to the next
	step                     int // from a transform to the next
	low, high                float32
}

// in transforms the pixels from (y, x) on on which a tile depends.
func (t *winogradTask) in(i, image, y, x int, own []float32) {
	n := t.channels
	k := winogradTile{dst: t.v[i*n:], tmp: own[36*n:], n: n, pixel: t.pixel, row: t.iw * t.pixel, step: t.n * n}
	plane := t.x[image*t.ih*t.iw*t.pixel:]
	if side := t.side + 2; y >= 0 && x >= 0 && y+side <= t.ih && x+side <= t.iw {
		k.src = plane[(y*t.iw+x)*t.pixel:]
	} else {
		k.src, k.pixel, k.row = own[:side*side*n], n, side*n
		t.cutOut(k.src, plane, y, x, side)
	}
	if t.side == 2 {
		k.smallIn()
	} else {
		k.in()
	}
}

// cutOut copies the side×side pixels from (y, x) on, of which some are padding.
func (t *winogradTask) cutOut(dst, plane []float32, y, x, side int) {
	n := t.channels
	x0, x1 := min(max(0, -x), side), max(0, min(side, t.iw-x))
	for r := range side {
		d := dst[r*side*n:][:side*n]
		if y+r < 0 || y+r >= t.ih || x0 >= x1 {
			clear(d)
			continue
		}
		clear(d[:x0*n])
		copyRows(d[x0*n:], plane[((y+r)*t.iw+x+x0)*t.pixel:], n, x1-x0, n, t.pixel)
		clear(d[x1*n:])
	}
}

// out computes the pixels from (y, x) on, at most side×side, from the transforms of tile i.
func (t *winogradTask) out(i, image, y, x int, own []float32) {
	n, width := t.filters, t.width
	at := ((image*t.oh+y)*t.ow + x) * width
	k := winogradTile{
		src: t.m[i*n:], tmp: own[16*n:], bias: t.bias, n: n, pixel: width, row: t.ow * width, step: t.n * n,
		dst: t.dst[at:], res: from(t.res, at), low: t.low, high: t.high,
	}
	h, w := min(t.side, t.oh-y), min(t.side, t.ow-x)
	if h == t.side && w == t.side {
		t.pixels(&k)
		t.finish(at, h, w)
		return
	}
	k.dst, k.pixel, k.row, k.res = own[:16*n], n, t.side*n, nil
	if t.res != nil {
		k.low, k.high, _ = ActNone.bounds()
	}
	t.pixels(&k)
	for r := range h {
		copyRows(t.dst[at+r*t.ow*width:], k.dst[r*t.side*n:], n, w, width, n)
		for p := 0; p < w && t.res != nil; p++ {
			at := at + (r*t.ow+p)*width
			d := t.dst[at:][:n]
			VecAdd32(d, d, t.res[at:][:n])
			VecMaxS32(d, d, t.low)
			VecMinS32(d, d, t.high)
		}
	}
	t.finish(at, h, w)
}

// pixels makes the pixels of a tile.
func (t *winogradTask) pixels(k *winogradTile) {
	if t.side == 2 {
		k.smallOut()
	} else {
		k.out()
	}
}

// finish applies the rest of the activation to h×w pixels.
func (t *winogradTask) finish(at, h, w int) {
	if t.act == ActNone {
		return
	}
	n, times := t.filters, w
	if t.width == n { // the pixels are one run
		n, times = w*n, 1
	}
	for r := range h {
		for p := range times {
			t.act.apply(t.dst[at+(r*t.ow+p)*t.width:][:n])
		}
	}
}
