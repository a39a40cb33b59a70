package cpu

// PackConv32Size returns how many floats [PackConv32] writes.
func PackConv32Size(filters, depth, taps, groups int) int {
	return groups*PackB32Size(depth*taps, filters/groups) + pairsSize(filters, depth, taps, groups)
}

// PackConv32 packs filters, [filters, depth, taps], for [ConvLast32]. For each group it is the result of
// [PackB32] for a matrix with a row for each tap and channel, in this order, and a column for each filter. Behind groups of
// eight channels and eight filters, there are the same filters in pairs of groups:
//
//	for pair := range (groups + 1) / 2 {
//		first := min(2*pair, groups-2) // group
//		for t, r, f := range [taps, 8, 8] {
//			for second := range 2 {
//				dst[pair, t, r, f, second] = w[(first+second)*8+f, (f+r)%8, t]
//			}
//		}
//	}
func PackConv32(dst, w []float32, filters, depth, taps, groups int) {
	k, n := depth*taps, filters/groups
	rows := scratch.get(filters * k) // [filters, taps, depth]
	for m := range filters {
		transpose(rows[m*k:], w[m*k:], depth, taps, depth, taps)
	}
	size := PackB32Size(k, n)
	for g := range groups {
		PackB32T(dst[g*size:][:size], rows[g*n*k:][:n*k], k, n)
	}
	scratch.put(rows)
	if pairs := pairsSize(filters, depth, taps, groups); pairs > 0 {
		packPairs(dst[groups*size:][:pairs], w, taps, groups)
	}
}

// ConvLast32 is a convolution of images with the channels last, each group of
// filters with its group of channels:
//
//	for n, o, m := range dst { // image, place, filter
//		sum := float32(0)
//		for k, c := range w[m] { // tap, channel
//			sum += w[m, k, c] * x[n, o·stride + k·dilation - pad, c]
//		}
//		dst[n, o, m] = act(sum + bias[m] + res[n, o, m])
//	}
//
// where x is zero outside its bounds, [PackConv32] has packed the filters, and bias and res may be nil. It is
// one product of matrices for each group, whose rows are the patches of x. With assembly, groups of eight channels and eight
// filters are computed in pairs instead: for each line of taps, a filter adds one channel of all taps after the other, and begins
// with the channel of its own number. Also with assembly, sums of a few planes begin with the bias.
func ConvLast32(dst, x, w, bias, res []float32, s ConvShape, act Act) {
	convLast32(dst, x, w, bias, res, s, act, s.Filters)
}

// ConvLastInto32 is [ConvLast32] for columns at to at+filters-1 of a dst with width columns. The other
// columns are unchanged.
func ConvLastInto32(dst, x, w, bias []float32, s ConvShape, act Act, width, at int) {
	if len(dst) > 0 {
		convLast32(dst[at:], x, w, bias, nil, s, act, width)
	}
}

// convLast32 is ConvLast32 with pixels of dst that are width floats apart.
func convLast32(dst, x, w, bias, res []float32, s ConvShape, act Act, width int) {
	if len(dst) == 0 || convPairs(dst, x, w, bias, res, s, act, width) || convPlanes(dst, x, w, bias, res, s, act, width) {
		return
	}
	p := patchRows.get()
	p.init(s.Channels, s.Groups, s.Window, s.Filters/s.Groups > panel, false)
	k, n, m := p.depth*volume(s.Window.Kernel), s.Filters/s.Groups, s.Images*volume(s.Window.Out)
	var own []float32
	if p.copied {
		own = scratch.get(s.Images * p.whole)
		t := padders.get()
		*t = padder[float32]{patches: p, image: own, x: x, copyRows: copyRows}
		t.do(s.Groups * m * n * k / tileSpeed())
		*t = padder[float32]{}
		padders.put(t)
		x = own
	}
	g := gemms.get()
	*g = gemm{
		dst: dst, a: x, b: w, bias: bias, res: res, act: act,
		batch: s.Groups, m: m, k: k, n: n, lda: k, ldc: width,
		strideA: p.depth, strideB: PackB32Size(k, n), strideC: n, strideBias: n,
		rows: p, runRows: (*gemmTile).runPatches,
	}
	if k == 0 || p.pointwise() { // patches without channels have no runs
		g.rows, g.runRows, g.lda = nil, nil, p.pixel
	}
	g.do()
	gemms.put(g)
	scratch.put(own)
	patchRows.put(p)
}
