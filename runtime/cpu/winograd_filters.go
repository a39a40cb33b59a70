package cpu

// WinogradFilters32 transforms filters that [PackConv32] has packed, of depth channels and 3×3 taps, for
// [Winograd32]. The result is 36 matrices that are packed like by [PackB32], with a row for each channel and
// a column for each filter. They have four times as many elements as the filters, and so are computed when a
// program starts.
func WinogradFilters32(packed []float32, depth, filters int) []float32 {
	return transformFilters(packed, depth, filters, 1, 4)
}

// WinogradGroups32 is [WinogradFilters32] for each group of filters, one result behind the other.
func WinogradGroups32(packed []float32, depth, filters, groups int) []float32 {
	return transformFilters(packed, depth, filters, groups, 4)
}

// WinogradSmall32 is [WinogradGroups32] for tiles of 2×2 pixels, for one group as well. The result is 16 matrices for each, of 16/9 times as many elements as the
// filters.
func WinogradSmall32(packed []float32, depth, filters, groups int) []float32 {
	return transformFilters(packed, depth, filters, groups, 2)
}

// transformFilters transforms filters for tiles of side×side pixels.
func transformFilters(packed []float32, depth, filters, groups, side int) []float32 {
	from, size := PackB32Size(9*depth, filters/groups), PackB32Size(depth, filters/groups)
	to := transforms(side) * size
	u := alignedFloats(groups * to)
	for g := range groups {
		t := &winogradFilters{u: u[g*to:][:to], packed: packed[g*from:][:from], depth: depth, size: size, side: side}
		parallel(size/(panel*depth), 9*to, t)
	}
	return u
}

// winogradFilters is the task of transforming filters for tiles of side×side pixels. A turn is a panel of filters.
type winogradFilters struct {
	u, packed         []float32
	depth, size, side int
}

func (t *winogradFilters) run(i int) {
	for c := range t.depth {
		for f := range panel {
			var g [3][3]float64
			for k := range 9 {
				g[k/3][k%3] = float64(t.packed[((i*9+k)*t.depth+c)*panel+f])
			}
			t.filter(t.u[(i*t.depth+c)*panel+f:], &g)
		}
	}
}

// filter writes the transforms of g, size apart.
func (t *winogradFilters) filter(u []float32, g *[3][3]float64) {
	n, transform := 6, winogradFilter
	if t.side == 2 {
		n, transform = 4, winogradSmallFilter
	}
	var rows [3][6]float64
	for k, taps := range g {
		rows[k] = transform(taps)
	}
	for j := range n {
		v := transform([3]float64{rows[0][j], rows[1][j], rows[2][j]})
		for i := range n {
			u[(i*n+j)*t.size] = float32(v[i])
		}
	}
}

// winogradSmallFilter is the transform of three taps for tiles of 2×2 pixels, which has four values.
func winogradSmallFilter(g [3]float64) [6]float64 {
	return [6]float64{g[0], (g[0] + g[1] + g[2]) / 2, (g[0] - g[1] + g[2]) / 2, g[2]}
}

// winogradFilter is the transform of three taps.
func winogradFilter(g [3]float64) [6]float64 {
	const a, b = winogradA, winogradB
	const atA, atB = 2 * a * a * (a*a - b*b), 2 * b * b * (b*b - a*a)
	return [6]float64{
		g[0] / (a * a * b * b),
		(g[0] + a*g[1] + a*a*g[2]) / atA, (g[0] - a*g[1] + a*a*g[2]) / atA,
		(g[0] + b*g[1] + b*b*g[2]) / atB, (g[0] - b*g[1] + b*b*g[2]) / atB,
		g[2],
	}
}
