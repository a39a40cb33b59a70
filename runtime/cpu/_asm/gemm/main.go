// Command gemm writes gemm_amd64.s: the micro-kernels of matrix products and the transposition for packing.
//
// The argument of a micro-kernel is a *gemmTile. It keeps rows×cols sums in registers, adds the products of
// t.k columns of a and rows of b in the order of k, with one fused multiply-add each, and at the end performs
// the operations of t.flags. It reads b in panels of 32 columns, filled with zeros, and only existing
// elements of c, bias and res.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
	"github.com/bbgen/bbgen/runtime/cpu/_asm/rows"
)

var tileType = kernels.StructOf("gemmTile")

// Offsets of gemmTile's fields.
var (
	offA     = tileType.Offset("a")
	offB     = tileType.Offset("b")
	offC     = tileType.Offset("c")
	offBias  = tileType.Offset("bias")
	offRes   = tileType.Offset("res")
	offLDA   = tileType.Offset("lda")
	offLDB   = tileType.Offset("ldb")
	offLDC   = tileType.Offset("ldc")
	offPanel = tileType.Offset("ldp")
	offK     = tileType.Offset("k")
	offRows  = tileType.Offset("rows")
	offCols  = tileType.Offset("cols")
	offFlags = tileType.Offset("flags")
	offAhead = tileType.Offset("ahead")
	offStep  = tileType.Offset("aheadStep")
	offRun   = tileType.Offset("aheadRun")
	offSkip  = tileType.Offset("aheadSkip")
)

const (
	flagAcc = 1 << iota
	flagBias
	flagRes
	flagRelu
	flagRelu6
	flagHardSwish
)

var constants = kernels.NewConstants("tileConsts")

func main() {
	kernels.Begin()
	for rows := 1; rows <= 14; rows++ {
		floats(avx512{}, rows, 1, 2).emit()
	}
	for rows := 1; rows <= 3; rows++ {
		floats(avx512{}, rows, 4, 2).emit()
	}
	floats(avx512{}, 4, 2, 2).emit()
	for rows := 1; rows <= 14; rows++ {
		runs{floats(avx512{}, rows, 1, 2), 128}.emit()
		lines{floats(avx512{}, rows, 1, 2), 128}.emit()
	}
	for rows := 1; rows <= 16; rows++ {
		oneVector(avx512{}, rows)
	}
	for rows := 1; rows <= 14; rows++ {
		oneVector(avx512Half{}, rows)
	}
	for rows := 7; rows <= 16; rows++ { // those of less are transposed
		if rows <= 14 {
			columns{floats(avx512{}, rows, 1, 2)}.emit()
		}
		columns{floats(avx512{}, rows, 1, 1)}.emit()
	}

	masks()
	floats(avx2{}, 1, 2, 4).emit()
	for rows := 1; rows <= 3; rows++ {
		floats(avx2{}, rows, 1, 4).emit()
	}
	for rows := 4; rows <= 6; rows++ {
		floats(avx2{}, rows, 1, 2).emit()
	}
	for rows := 1; rows <= 6; rows++ {
		runs{floats(avx2{}, rows, 1, 2), 128}.emit()
		lines{floats(avx2{}, rows, 1, 2), 128}.emit()
	}
	for rows := 1; rows <= 12; rows++ {
		oneVector(avx2{}, rows)
	}
	for rows := 3; rows <= 6; rows++ {
		columns{floats(avx2{}, rows, 1, 2)}.emit()
	}
	fewHalves()
	ends()
	transpose()
	packPanel()
	constants.Emit()
	Generate()
}

// oneVector emits all micro-kernels of a number of rows that have one vector of columns.
func oneVector(v isa, rows int) {
	k := floats(v, rows, 1, 1)
	k.emit()
	runs{k, 128}.emit()
	lines{k, 128}.emit()
}

// isa is the differences of the two instruction sets.
type isa interface {
	name() string
	lanes() int
	registers() int // the number of vector registers
	register(i int) Register
	vec() VecVirtual
	load(m Mem, v Register)
	store(v Register, m Mem)
	broadcast(m Mem, v Register)
	fma(b Op, a, acc Register)
	fmaOne(x Mem, b, acc Register) bool // acc += b·x for one float x; false if there is no such instruction
	zero(v Register)
	add(x Op, v Register)
	relu(v, zero Register) // v = max(0, v), v where it is NaN

	// columns makes loads and stores of the j-th vector of a row touch existing columns only.
	columns(cols, tmp Register, j int) mask
}

// mask is a register that tells which lanes exist.
type mask interface {
	load(m Mem, v Register) // zero in lanes that do not exist
	store(v Register, m Mem)
}

// kernel is a micro-kernel for a number of rows. It computes vecs vectors of each of its panels.
type kernel struct {
	isa
	rows, panels, vecs int
	form               form // of the elements of b
}

// floats returns the micro-kernel for a b of float32.
func floats(v isa, rows, panels, vecs int) kernel { return kernel{v, rows, panels, vecs, float32s} }

func (g kernel) emit() {
	width := g.panels * g.vecs * g.lanes()
	g.micro(fmt.Sprintf("%s%dx%d%s", g.form.kernel, g.rows, width, g.name()), fmt.Sprintf("%d rows and up to %d columns%s", g.rows, width, g.form.doc), g.sum)
}

// micro emits a micro-kernel for what doc says, whose products sum adds. It is given what reads a field of the tile.
func (g kernel) micro(name, doc string, sum func(field func(int) Register, acc [][]Register)) {
	kernels.Text(name, "func(t *gemmTile)")
	Doc(fmt.Sprintf("%s is a micro-kernel of %s.", name, doc))
	t := Load(Param("t"), GP64())
	field := func(off int) Register {
		r := GP64()
		MOVQ(Mem{Base: t, Disp: off}, r)
		return r
	}
	acc := g.sums()
	g.start(field, acc)
	sum(field, acc)
	g.finish(acc)
}

// start sets the sums to zero, or to the elements of c.
func (g kernel) start(field func(int) Register, acc [][]Register) {
	flags := field(offFlags)
	TESTQ(U32(flagAcc), flags)
	JNZ(LabelRef("acc"))
	for _, row := range acc {
		for _, v := range row {
			g.zero(v)
		}
	}
	JMP(LabelRef("sum"))
	Label("acc")
	g.eachMasked("acc", field, func(load func(Mem, Register), _ func(Register, Mem), from, to int) {
		c, ldc := field(offC), field(offLDC)
		SHLQ(U8(2), ldc)
		for i := range acc {
			for j := from; j < to; j++ {
				load(Mem{Base: c, Disp: j * g.lanes() * 4}, acc[i][j])
			}
			if i < len(acc)-1 {
				ADDQ(ldc, c)
			}
		}
	})
	Label("sum")
}

// eachMasked emits body for vectors from ≤ j < to of all rows, with loads and stores of existing columns
// only. For complete tiles it emits another path, without masks.
func (g kernel) eachMasked(label string, field func(int) Register, body func(load func(Mem, Register), store func(Register, Mem), from, to int)) {
	cols := field(offCols)
	n := g.panels * g.vecs
	CMPQ(cols, U32(n*g.lanes()))
	JL(LabelRef(label + "Masked"))
	body(func(m Mem, v Register) { g.load(m, v) }, func(v Register, m Mem) { g.isa.store(v, m) }, 0, n)
	JMP(LabelRef(label + "Done"))
	Label(label + "Masked")
	tmp := GP64()
	for j := range n {
		m := g.columns(cols, tmp, j)
		body(m.load, m.store, j, j+1)
	}
	Label(label + "Done")
}

// sum adds the products.
func (g kernel) sum(field func(int) Register, acc [][]Register) {
	a := newRows(field(offA), field(offLDA), g.rows)
	b := newPanels(g, field)
	var far Register
	if g.panels > 1 { // each value of b is used a few times only: memory is what limits
		far = GP64()
		LEAQ(Mem{Base: b.at, Index: b.step, Scale: 8}, far)
		if g.form.bytes == 2 { // as many bytes ahead
			LEAQ(Mem{Base: far, Index: b.step, Scale: 8}, far)
		}
	}
	var next *ahead
	if g.looksAhead() {
		next = newAhead(field)
	}
	const unroll = 4
	k := field(offK)
	SUBQ(U8(unroll), k)
	JL(LabelRef("tail"))
	Label("loop")
	for u := range unroll {
		if far != nil {
			b.ask(far)
		}
		if next != nil {
			next.ask()
		}
		g.step(a, b, u, acc)
	}
	if next != nil {
		next.advance(field)
	}
	a.Advance(U8(4 * unroll))
	SUBQ(U8(unroll), k)
	JGE(LabelRef("loop"))
	Label("tail")
	ADDQ(U8(unroll), k)
	JZ(LabelRef("finish"))
	Label("tailLoop")
	g.step(a, b, 0, acc)
	a.Advance(U8(4))
	DECQ(k)
	JNZ(LabelRef("tailLoop"))
	Label("finish")
}

// step adds the products of one column of a, u columns from where a is, and one row of b.
func (g kernel) step(a *rows.Pointers, b *panels, u int, acc [][]Register) {
	n := g.panels * g.vecs
	switch {
	case g.rows == 1: // b is used once: from memory
		x := g.vec()
		g.broadcast(a.At(0, 4*u), x)
		for j := range n {
			g.fma(b.value(j), x, acc[0][j])
		}
	case g.panels > 1 || g.rows*n+n+1 > g.registers(): // few rows: one vector of b at a time
		if g.panels == 1 {
			g.prefetch(Mem{Base: b.at})
		}
		x := make([]Register, g.rows)
		for i := range x {
			x[i] = g.vec()
			g.broadcast(a.At(i, 4*u), x[i])
		}
		for j := range n {
			y := g.vec()
			g.form.load(g.isa, b.vector(j), y)
			for i := range x {
				g.fma(y, x[i], acc[i][j])
			}
		}
	default: // many rows: one value of a at a time
		g.prefetch(Mem{Base: b.at})
		y := make([]Register, n)
		for j := range y {
			y[j] = g.vec()
			g.form.load(g.isa, b.vector(j), y[j])
		}
		for i := range acc {
			g.multiply(a.At(i, 4*u), y, acc[i])
		}
	}
	ADDQ(b.step, b.at)
}

// multiply adds the products of one value of a with vectors of b to the sums of its row. If there is one vector, a product that
// reads the value from memory takes three quarters of the time of one after a broadcast (AMD Zen 4).
func (g kernel) multiply(x Mem, y, acc []Register) {
	if len(y) == 1 && g.fmaOne(x, y[0], acc[0]) {
		return
	}
	v := g.vec()
	g.broadcast(x, v)
	for j := range y {
		g.fma(y[j], v, acc[j])
	}
}

// looksAhead reports whether the kernel prefetches t.ahead: it must have enough to do meanwhile. The next
// rows and weights may not be in the cache. With two or three rows of whole panels (AVX2), these come from memory: the
// second tile would wait for the next panel otherwise.
func (g kernel) looksAhead() bool {
	return g.form.bytes == 4 && g.panels == 1 && (g.vecs*g.lanes() >= 16 && g.rows > 3 || g.vecs == 4 && g.rows > 1)
}

// ahead is the address of the next line to prefetch. It advances by step bytes with each value of k, and by
// some more floats after each run of a multiple of unroll values.
type ahead struct{ at, step, left Register }

func newAhead(field func(int) Register) *ahead {
	h := &ahead{field(offAhead), field(offStep), field(offRun)}
	SHLQ(U8(2), h.step)
	return h
}

func (h *ahead) ask() {
	PREFETCHT1(Mem{Base: h.at})
	ADDQ(h.step, h.at)
}

// advance follows each unroll prefetches.
func (h *ahead) advance(field func(int) Register) {
	DECQ(h.left)
	JNZ(LabelRef("inRun"))
	LEAQ(Mem{Base: h.at, Index: field(offSkip), Scale: 4}, h.at)
	MOVQ(field(offRun), h.left)
	Label("inRun")
}

// prefetch asks for what is a page ahead of a row of b. Weights of many rows come from far away, and the processor looks
// ahead within a page only.
func (g kernel) prefetch(row Mem) {
	const page = 4096
	for line := 0; line < g.vecs*g.lanes()*g.form.bytes && g.vecs > 1; line += 64 {
		PREFETCHT0(row.Offset(page + line))
	}
}

// newRows returns pointers to rows of floats, which are lda apart.
func newRows(a, lda Register, n int) *rows.Pointers {
	SHLQ(U8(2), lda)
	return rows.New(a, lda, n)
}
