package cpu

// WinogradFilters32 transforms filters that [PackConv32] has packed, of depth channels and 3×3 taps, for
// [Winograd32]. The result is 36 matrices that are packed like by [PackB32], with a row for each channel and
// a column for each filter. They have four times as many elements as the filters, and so are computed when a
// program starts.
func WinogradFilters32(packed []float32, depth, filters int) []float32 {
	size := PackB32Size(depth, filters)
	t := &winogradFilters{u: alignedFloats(36 * size), packed: packed, depth: depth, size: size}
	parallel(size/(panel*depth), 36*9*size, t)
	return t.u
}

// WinogradGroups32 is [WinogradFilters32] for each group of filters, one result behind the other.
func WinogradGroups32(packed []float32, depth, filters, groups int) []float32 {
	from, to := PackB32Size(9*depth, filters/groups), 36*PackB32Size(depth, filters/groups)
	u := alignedFloats(groups * to)
	for g := range groups {
		copy(u[g*to:], WinogradFilters32(packed[g*from:][:from], depth, filters/groups))
	}
	return u
}

// winogradFilters is the task of transforming filters. A turn is a panel of filters.
type winogradFilters struct {
	u, packed   []float32
	depth, size int
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
	var rows [3][6]float64
	for k, taps := range g {
		rows[k] = winogradFilter(taps)
	}
	for j := range 6 {
		for i, v := range winogradFilter([3]float64{rows[0][j], rows[1][j], rows[2][j]}) {
			u[(i*6+j)*t.size] = float32(v)
		}
	}
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
