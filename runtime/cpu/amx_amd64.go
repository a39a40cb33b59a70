//go:build !purego

package cpu

import "unsafe"

//go:generate env GOWORK=off go -C _asm run ./amx -out ../amx_amd64.s

// hasAMX reports whether the CPU multiplies tiles of bytes, and the operating system saves tiles for this
// process.
var hasAMX = has(needs.AMX) && allowTiles()

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

// tilesAMX is the argument of the assembly for a byteTile, which contains the offsets of the fields.
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

//go:noescape
func byteTileAMX(t *tilesAMX)
