package cpu

import "math"

// byteGemm is the task of a product of bytes: m rows of a, which begin lda bytes apart, with a packed b of n columns. A
// turn computes a block of rows and panels: turns share nothing.
type byteGemm struct {
	a, b    []byte
	lda     int
	signed  bool // as in byteTile
	m, k, n int
	out     byteOut

	tiles, panels, unit    int // unit panels stay together
	rowBlocks, panelBlocks int
}

var byteGemms freelist[byteGemm]

// do cuts the product into turns, runs them and gives g back.
func (g *byteGemm) do() {
	if g.m > 0 && g.n > 0 {
		rows := byteRows()
		g.tiles = (g.m + rows - 1) / rows
		g.panels = (g.n + panel - 1) / panel
		g.unit = 1
		if g.tiles == 1 {
			g.unit = bytePanels(g.m)
		}
		units := (g.panels + g.unit - 1) / g.unit
		cost := max(g.m*g.n*g.k/byteSpeed(), g.n*g.k/32)
		turns := min(max(cost/serialCost, 1), 16)
		g.rowBlocks = min(g.tiles, turns)
		g.panelBlocks = min(units, (turns+g.rowBlocks-1)/g.rowBlocks)
		parallel(g.rowBlocks*g.panelBlocks, cost, g)
	}
	*g = byteGemm{}
	byteGemms.put(g)
}

func (g *byteGemm) run(i int) {
	bm, bn := i%g.rowBlocks, i/g.rowBlocks
	units := (g.panels + g.unit - 1) / g.unit
	g.block(
		bm*g.tiles/g.rowBlocks, (bm+1)*g.tiles/g.rowBlocks,
		bn*units/g.panelBlocks*g.unit, min((bn+1)*units/g.panelBlocks*g.unit, g.panels),
	)
}

// block computes tiles t0 ≤ t < t1 and panels p0 ≤ p < p1.
func (g *byteGemm) block(t0, t1, p0, p1 int) {
	var sums [14 * panel]int32
	quads := quadsOf(g.k)
	tile := byteTile{c: sums[:], lda: g.lda, ldp: quads * 4 * panel, quads: quads, signed: g.signed}
	for t := t0; t < t1; t++ {
		r := t * g.m / g.tiles
		tile.rows = (t+1)*g.m/g.tiles - r
		tile.a = g.a[r*g.lda:][:(tile.rows-1)*g.lda+4*quads]
		tile.panels = bytePanels(tile.rows)
		for p := p0; p < p1; p += tile.panels {
			if p+tile.panels > p1 {
				tile.panels = 1
			}
			tile.ldc = tile.panels * panel
			tile.b = g.b[p*tile.ldp:][:tile.panels*tile.ldp]
			tile.run()
			j := p * panel
			g.out.store(sums[:], tile.ldc, r, j, tile.rows, min(tile.ldc, g.n-j))
		}
	}
}

// byteOut makes outputs of sums: of the sum at row i and column j,
//
//	ints[i*ldd+j] = sum + add[j]
//	floats[i*ldd+j] = max(float32(sum+add[j]) * mult[j], low)
//	bytes[i*ldd+j] = round(min(max(float32(sum+add[j])*mult[j], low), high)) + zero
//
// whichever there is. With byRow, add and mult are indexed by i. A half is rounded to even, NaN becomes low.
type byteOut struct {
	ints      []int32
	floats    []float32
	bytes     []byte
	ldd       int
	add       []int32
	mult      []float32
	byRow     bool
	low, high float32
	zero      int32
}

// storeGo makes outputs of the sums[i*lds+j] of rows from r on and columns from j on.
func (o *byteOut) storeGo(sums []int32, lds, r, j, rows, cols int) {
	first, step := j, 1
	for i := range rows {
		if o.byRow {
			first, step = r+i, 0
		}
		at, add := (r+i)*o.ldd+j, o.add[first:]
		s := sums[i*lds:][:cols]
		if o.ints != nil {
			for c, v := range s {
				o.ints[at+c] = v + add[c*step]
			}
			continue
		}
		mult := o.mult[first:]
		for c, v := range s {
			x := o.scale(v+add[c*step], mult[c*step])
			if o.floats != nil {
				o.floats[at+c] = x
				continue
			}
			if !(x < o.high) {
				x = o.high
			}
			o.bytes[at+c] = byte(int32(math.RoundToEven(float64(x))) + o.zero)
		}
	}
}

func (o *byteOut) scale(v int32, mult float32) float32 {
	x := float32(float32(v) * mult)
	if x > o.low {
		return x
	}
	return o.low
}
