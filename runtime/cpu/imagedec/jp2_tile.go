package imagedec

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// jp2Tile is a part of the image that is encoded separately.
type jp2Tile struct {
	index                    int
	coding                   []jp2Coding
	layers, mct, progression int
	data                     []byte
	rect                     jp2Rect
}

// jp2Level is one resolution of a component of a tile.
type jp2Level struct {
	rect           jp2Rect
	bands          []*jp2Band
	precincts      []jp2Precinct
	across         int // precincts in a row
	component, res int
}

// jp2Band is a sub-band.
type jp2Band struct {
	rect   jp2Rect
	high   [2]bool // it has the high frequencies in x, and in y
	planes int     // bits of its numbers
	step   float32 // the factor of its numbers
	values []int32 // twice the numbers
}

// jp2Precinct is the code blocks of a part of a resolution.
type jp2Precinct struct {
	x, y  int // on the reference grid
	bands []jp2Blocks
}

// jp2Blocks is the code blocks of one band in a precinct.
type jp2Blocks struct {
	band             *jp2Band
	across, down     int
	blocks           []jp2Block
	included, zeroes tagTree
}

// decodeTile decodes a tile and copies its samples to the components.
func (j *jp2) decodeTile(t *jp2Tile) {
	across := ceilDiv(j.grid.x1-j.tile.x0, j.tile.width())
	x, y := t.index%across*j.tile.width(), t.index/across*(j.tile.y1-j.tile.y0)
	t.rect = jp2Rect{j.tile.x0 + x, j.tile.y0 + y, j.tile.x1 + x, j.tile.y1 + y}.cut(j.grid)
	if t.rect.empty() {
		panic(errFormat)
	}
	levels := make([][]*jp2Level, len(j.parts))
	for i := range j.parts {
		for r := range t.coding[i].levels + 1 {
			levels[i] = append(levels[i], j.level(t, i, r))
		}
	}
	t.packets(levels)
	ints, floats := make([][]int32, len(j.parts)), make([][]float32, len(j.parts))
	for i := range j.parts {
		for _, l := range levels[i] {
			l.decodeBlocks(t.coding[i].style)
		}
		if t.coding[i].reversible {
			ints[i] = synthesize(levels[i], halve, lift53)
		} else {
			floats[i] = synthesize(levels[i], scale, lift97)
		}
	}
	if t.mct == 1 && len(j.parts) >= 3 {
		mixBack(ints, floats)
	}
	for i := range j.parts {
		j.parts[i].store(t.rect, ints[i], floats[i])
	}
}

// mixBack inverts the transform of the first three components.
func mixBack(ints [][]int32, floats [][]float32) {
	if ints[0] != nil {
		for i, y := range ints[0] {
			u, v := ints[1][i], ints[2][i]
			g := y - (u+v)>>2
			ints[0][i], ints[1][i], ints[2][i] = v+g, g, u+g
		}
		return
	}
	for i, y := range floats[0] {
		u, v := floats[1][i], floats[2][i]
		floats[0][i] = y + float32(v*1.402)
		floats[1][i] = y - float32(u*0.34413) - float32(v*0.71414)
		floats[2][i] = y + float32(u*1.772)
	}
}

// store copies the samples of a tile to the component.
func (p *jp2Part) store(tile jp2Rect, ints []int32, floats []float32) {
	r := tile.div(p.dx, p.dy)
	low, shift := int32(0), int32(1)<<(p.bits-1)
	if p.signed {
		low, shift = -shift, 0
	}
	top := low + int32(1)<<p.bits - 1
	for i := range r.width() * (r.y1 - r.y0) {
		x, y := r.x0+i%r.width()-p.rect.x0, r.y0+i/r.width()-p.rect.y0
		v := int32(0)
		if ints != nil {
			v = ints[i]
		} else {
			v = int32(math.RoundToEven(float64(floats[i])))
		}
		p.data[y*p.rect.width()+x] = min(max(v+shift, low), top)
	}
}

// level computes the layout of resolution r of component i.
func (j *jp2) level(t *jp2Tile, i, r int) *jp2Level {
	p, c := &j.parts[i], &t.coding[i]
	whole := t.rect.div(p.dx, p.dy)
	down := c.levels - r
	l := &jp2Level{rect: whole.div(1<<down, 1<<down), component: i, res: r}
	if r == 0 {
		l.bands = []*jp2Band{newBand(whole, c, p.bits, 0, down, false, false)}
	} else {
		for k := 1; k <= 3; k++ {
			l.bands = append(l.bands, newBand(whole, c, p.bits, 3*(r-1)+k, down+1, k&1 != 0, k&2 != 0))
		}
	}
	if l.rect.empty() {
		return l
	}
	px, py := c.precincts[r][0], c.precincts[r][1]
	x0, y0 := l.rect.x0>>px, l.rect.y0>>py
	l.across = ceilDiv(l.rect.x1, 1<<px) - x0
	rows := ceilDiv(l.rect.y1, 1<<py) - y0
	j.packets += l.across * rows * t.layers
	if plausible(j.packets, 1, j.bytes) != nil {
		panic(errBytes)
	}
	for k := range l.across * rows {
		x, y := (x0+k%l.across)<<px, (y0+k/l.across)<<py
		at := jp2Precinct{x: t.rect.x0, y: t.rect.y0}
		if x >= l.rect.x0 {
			at.x = x << down * p.dx
		}
		if y >= l.rect.y0 {
			at.y = y << down * p.dy
		}
		area := jp2Rect{x, y, x + 1<<px, y + 1<<py}
		bx, by := min(c.blockX, px), min(c.blockY, py)
		if r > 0 {
			area = jp2Rect{x / 2, y / 2, area.x1 / 2, area.y1 / 2}
			bx, by = min(c.blockX, px-1), min(c.blockY, py-1)
		}
		for _, b := range l.bands {
			at.bands = append(at.bands, newBlocks(b, area.cut(b.rect), bx, by))
		}
		l.precincts = append(l.precincts, at)
	}
	return l
}

func newBand(whole jp2Rect, c *jp2Coding, precision, index, down int, hx, hy bool) *jp2Band {
	n := 1 << down
	b := &jp2Band{high: [2]bool{hx, hy}}
	if hx {
		whole.x0, whole.x1 = whole.x0-n/2, whole.x1-n/2
	}
	if hy {
		whole.y0, whole.y1 = whole.y0-n/2, whole.y1-n/2
	}
	b.rect = jp2Rect{ceilShift(whole.x0, down), ceilShift(whole.y0, down), ceilShift(whole.x1, down), ceilShift(whole.y1, down)}
	step := 0
	if c.quant == 1 {
		step = c.steps[0] - max(index-1, 0)/3<<11
	} else {
		step = c.steps[index]
	}
	exponent := step >> 11
	b.planes = c.guard + exponent - 1
	b.step = float32((1 + float64(step&0x7ff)/2048) * math.Pow(2, float64(precision-exponent)))
	if !b.rect.empty() {
		b.values = make([]int32, b.rect.width()*(b.rect.y1-b.rect.y0))
	}
	return b
}

// ceilShift returns a/2ⁿ rounded up, also for negative a.
func ceilShift(a, n int) int { return (a + 1<<n - 1) >> n }

func newBlocks(band *jp2Band, r jp2Rect, bx, by int) jp2Blocks {
	s := jp2Blocks{band: band}
	if r.empty() {
		return s
	}
	x0, y0 := r.x0>>bx, r.y0>>by
	s.across, s.down = ceilDiv(r.x1, 1<<bx)-x0, ceilDiv(r.y1, 1<<by)-y0
	for k := range s.across * s.down {
		x, y := (x0+k%s.across)<<bx, (y0+k/s.across)<<by
		s.blocks = append(s.blocks, jp2Block{rect: jp2Rect{x, y, x + 1<<bx, y + 1<<by}.cut(r), lengthBits: 3})
	}
	s.included.init(s.across, s.down)
	s.zeroes.init(s.across, s.down)
	return s
}

// jp2Packet is one layer of one precinct.
type jp2Packet struct {
	layer, index int
	level        *jp2Level
}

// order sorts the packets of a tile as in the file.
func (t *jp2Tile) order(packets []jp2Packet) {
	slices.SortStableFunc(packets, func(a, b jp2Packet) int {
		p, q := &a.level.precincts[a.index], &b.level.precincts[b.index]
		layer := cmp.Compare(a.layer, b.layer)
		res := cmp.Compare(a.level.res, b.level.res)
		part := cmp.Compare(a.level.component, b.level.component)
		place := cmp.Or(cmp.Compare(p.y, q.y), cmp.Compare(p.x, q.x))
		index := cmp.Compare(a.index, b.index)
		switch t.progression {
		case 0:
			return cmp.Or(layer, res, part, index)
		case 1:
			return cmp.Or(res, layer, part, index)
		case 2:
			return cmp.Or(res, place, part, index, layer)
		case 3:
			return cmp.Or(place, part, res, index, layer)
		}
		return cmp.Or(part, place, res, index, layer)
	})
}

// log2 returns the logarithm of n rounded down.
func log2(n int) int { return bits.Len(uint(n)) - 1 }
