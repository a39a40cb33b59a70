//go:build !purego

package cpu

import "unsafe"

//go:generate env GOWORK=off go -C _asm run ./amx -out ../amx_amd64.s

// hasAMX reports whether the CPU multiplies tiles of bytes, and the operating system saves tiles for this
// process. Tests set it where it does not: runAMX is in Go then.
var (
	tilesOfBytes = has(needs.AMX) && allowTiles()
	hasAMX       = tilesOfBytes
)

func amx() bool { return level == AVX512 && hasAMX }

const (
	amxRows   = 16 // of a tile at most
	amxQuads  = 16 // groups of four bytes of its rows at most
	amxPanels = 4  // of a call at most: their sums fit into the nearest cache beside the operands
)

// tileConfig is the shapes of the eight tiles, in the processor's layout.
type tileConfig struct {
	palette byte
	_       [15]byte
	bytes   [16]uint16 // of a row
	rows    [16]byte
}

// shape sets the shapes of the micro-kernel's tiles: sums of the upper and of the lower rows, these rows
// themselves, and two halves of a panel.
func (c *tileConfig) shape(upper, lower, quads int) {
	c.palette = 1
	for i, rows := range [...]int{upper, upper, lower, lower, upper, lower, quads, quads} {
		c.rows[i], c.bytes[i] = byte(rows), 4*amxQuads
	}
	c.bytes[4], c.bytes[5] = uint16(4*quads), uint16(4*quads)
}

// tilesAMX is the argument of the assembly for a byteTile, which reads its fields.
type tilesAMX struct {
	whole, rest tileConfig // for 16 groups of four bytes, and for the remainder of a run
	a, a2, b    *byte      // the upper rows, the lower rows, the panels
	c, c2       *int32
	lda, ldc    int // in bytes
	blocks      int // of 16 groups in a run
	runs        int
	steps       *int
	backA       int // bytes of a in the blocks of a run
	restB       int // bytes of b after them
	runB, skipB int // bytes of b in a run, and in its blocks
	panels      int // they follow each other in b
}

// runAMX is [byteTile.runGo] for 2 to 32 rows.
func (t *byteTile) runAMX() {
	if !tilesOfBytes { // only tests come here
		t.runGo()
		return
	}
	x := t.tiles()
	byteTileAMX(&x)
}

func (t *byteTile) tiles() tilesAMX {
	upper, blocks, left := (t.rows+1)/2, t.quads/amxQuads, t.quads%amxQuads
	const quadB = 4 * panel // bytes of b in a group of four rows
	x := tilesAMX{
		a: &t.a[0], a2: &t.a[upper*t.lda], b: &t.b[0], c: &t.c[0], c2: &t.c[upper*t.ldc], lda: t.lda, ldc: 4 * t.ldc,
		blocks: blocks, runs: t.runs, steps: unsafe.SliceData(t.steps), backA: 4 * amxQuads * blocks,
		restB: left * quadB, runB: t.quads * quadB, skipB: amxQuads * blocks * quadB, panels: t.panels,
	}
	x.whole.shape(upper, t.rows-upper, amxQuads)
	x.rest.shape(upper, t.rows-upper, left)
	return x
}

// outputTile is the argument of a micro-kernel of groups of rows like those of a byteTile, and what becomes of their
// sums. Assembly uses the offsets of its fields, and moves a, a2, dst, add, mult, from and from2.
type outputTile struct {
	config    tileConfig
	a, a2, b  *byte  // the upper rows of a group, its lower rows, the panels
	sums      *int32 // of two panels, aligned to their size
	lower     int    // bytes from the sums of the upper rows to those of the lower ones
	lda       int
	blocks    int // of 16 groups of four bytes in a run
	runs      int
	steps     *int
	backA     int // bytes of a in a run
	groups    int
	panels    int // they follow each other in b
	left      int // the kernel counts the panels of a group that are left
	rows      int // of a group
	each      int // of the panel before, which are converted with each block
	dst       unsafe.Pointer
	ldd, next int // bytes of dst: from row to row, from panel to panel
	add       *int32
	mult      *float32
	low, high float32
	zero, _   int32
	groupA    int // bytes of a from group to group
	groupDst  int // bytes of dst from behind the panels of a group to the next group
	groupAdd  int // bytes from behind the columns to the first one

	// Of bfloat16:
	stepA       int      // bytes of a from step to step; blocks is the number of steps
	from, from2 *float32 // what the sums of the upper and the lower rows begin with, nil for zeros
	ldFrom      int      // bytes of from from row to row
	groupFrom   int      // as groupDst
}

// sumsOf is the number of sums of a panel for which an outputTile has room.
const sumsOf = maxByteRows * panel

// outputs computes the outputs of n tiles from t on, but not of more than end, and those of panels p0 to p1-1 that are whole, if
// tiles of the processor can do that. Otherwise n is 0. The first of the other panels is p.
func (b *byteBlock) outputs(t, end, p0, p1 int) (n, p int) {
	full := min(p1, b.n/panel)
	if !amx() || !tilesOfBytes || b.row(t+1)-b.row(t) <= vnniRows || b.out.shift != nil || full <= p0 {
		return 0, p0
	}
	b.setTile(&b.tile[0], t, b.row(t))
	if b.tile[0].quads%amxQuads != 0 {
		return 0, p0
	}
	n = b.alike(t, end, full-p0)
	b.tileOutputs(b.row(t), n, p0, full)
	return n, full
}

// alike returns how many tiles from t on, up to end, have as many rows as tile t, and rows that follow each other, but not more
// than one call should compute, which cannot be interrupted.
func (b *byteBlock) alike(t, end, panels int) int {
	const most = 1 << 26 // multiply-adds
	if b.rows != nil || b.wide {
		return 1
	}
	n, rows := 1, b.row(t+1)-b.row(t)
	limit := most / (rows*panels*panel*b.depth + 1)
	for n < limit && t+n < end && b.row(t+n+1)-b.row(t+n) == rows {
		n++
	}
	return n
}

// tileOutputs computes the outputs of groups of rows like those of the tile, which begin at row r, and of panels p0 to full-1.
func (b *byteBlock) tileOutputs(r, groups, p0, full int) {
	t, o := &b.tile[0], &b.out
	x := b.outputTile(groups, p0, full-p0)
	first, last := r*o.ldd+p0*panel, (r+groups*t.rows-1)*o.ldd+full*panel
	switch {
	case o.ints != nil:
		x.setDst(unsafe.Pointer(&o.ints[first:last][0]), o.ldd, 4)
		if b.far && x.onLines() {
			byteFarIntsAMX(&x)
		} else {
			byteIntsAMX(&x)
		}
	case o.floats != nil:
		x.setDst(unsafe.Pointer(&o.floats[first:last][0]), o.ldd, 4)
		byteFloatsAMX(&x)
	default:
		x.setDst(unsafe.Pointer(&o.bytes[first:last][0]), o.ldd, 1)
		byteBytesAMX(&x)
	}
}

// outputTile returns the argument for groups of rows like those of the tile, and some panels from p0 on, without dst.
func (b *byteBlock) outputTile(groups, p0, panels int) outputTile {
	t, o := &b.tile[0], &b.out
	upper, cols := (t.rows+1)/2, panels*panel
	x := outputTile{
		a: &t.a[0], a2: &t.a[upper*t.lda], b: &b.b[p0*t.ldp:][:panels*t.ldp][0], sums: alignedSums(b.sums), lower: 4 * panel * upper,
		lda: t.lda, blocks: t.quads / amxQuads, runs: t.runs, steps: unsafe.SliceData(t.steps), backA: 4 * t.quads,
		groups: groups, panels: panels, rows: t.rows, add: &o.add[p0*panel:][:cols][0], low: o.low, high: o.high, zero: o.zero,
		groupA: t.rows * t.lda, groupAdd: -4 * cols,
	}
	steps := x.blocks * x.runs
	x.each = (t.rows + steps - 1) / steps
	x.config.shape(upper, t.rows-upper, amxQuads)
	if o.mult != nil {
		x.mult = &o.mult[p0*panel:][:cols][0]
	}
	return x
}

// setDst sets the place of the outputs, whose rows are ldd elements of some bytes apart.
func (x *outputTile) setDst(dst unsafe.Pointer, ldd, size int) {
	x.dst, x.ldd, x.next = dst, size*ldd, size*panel
	x.groupDst = x.rows*x.ldd - x.panels*x.next
}

// onLines reports whether rows of the outputs begin with a line of the cache, as stores that bypass the caches need it.
func (x *outputTile) onLines() bool { return (uintptr(x.dst)|uintptr(x.ldd))%64 == 0 }

// alignedSums returns the first of twice sumsOf elements of x whose address is a multiple of their size.
func alignedSums(x []int32) *int32 {
	const size = 4 * 2 * sumsOf
	ahead := -uintptr(unsafe.Pointer(unsafe.SliceData(x))) % size / 4
	return &x[ahead:][:2*sumsOf][0]
}
