package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
	"github.com/bbgen/bbgen/runtime/cpu/_asm/rows"
	"github.com/bbgen/bbgen/runtime/cpu/_asm/vex"
)

var tileType = kernels.StructOf("byteTile")

// Offsets of byteTile's fields.
var (
	offA     = tileType.Offset("a")
	offB     = tileType.Offset("b")
	offC     = tileType.Offset("c")
	offLDA   = tileType.Offset("lda")
	offLDP   = tileType.Offset("ldp")
	offLDC   = tileType.Offset("ldc")
	offQuads = tileType.Offset("quads")
	offRuns  = tileType.Offset("runs")
	offSteps = tileType.Offset("steps")
)

// begin begins a kernel for a type of package cpu, whose fields it returns.
func begin(name, doc, argument string) func(off int) Register {
	kernels.Text(name, "func(t *"+argument+")")
	Doc(name + " is a micro-kernel of " + doc + ".")
	t := Load(Param("t"), GP64())
	return func(off int) Register {
		r := GP64()
		MOVQ(Mem{Base: t, Disp: off}, r)
		return r
	}
}

// eachQuad emits body for the groups of four of all runs of rows a. Body advances by one group.
func eachQuad(field func(int) Register, a *rows.Pointers, body func()) {
	quads, runs, steps := field(offQuads), field(offRuns), field(offSteps)
	left, size := GP64(), GP64()
	TESTQ(quads, quads)
	JZ(LabelRef("done"))
	MOVQ(quads, size)
	SHLQ(U8(2), size)
	Label("run")
	MOVQ(quads, left)
	Label("loop")
	body()
	DECQ(left)
	JNZ(LabelRef("loop"))
	DECQ(runs)
	JLE(LabelRef("done"))
	MOVQ(Mem{Base: steps}, left) // from where this run began
	ADDQ(U8(8), steps)
	SUBQ(size, left)
	a.Advance(left)
	JMP(LabelRef("run"))
	Label("done")
}

// ahead is the distance in bytes of a panel at which it is prefetched.
const ahead = 2048

// tileVNNI is a micro-kernel of some rows of unsigned bytes and 32 columns of each of its panels.
type tileVNNI struct{ rows, panels int }

func (g tileVNNI) emit() {
	field := begin(fmt.Sprintf("byteTile%dx%dVNNI", g.rows, 32*g.panels), fmt.Sprintf("%d rows and %d columns", g.rows, 32*g.panels), "byteTile")
	n := 2 * g.panels
	acc := make([][]VecVirtual, g.rows)
	for i := range acc {
		acc[i] = make([]VecVirtual, n)
		for j := range acc[i] {
			acc[i][j] = ZMM()
			VPXORD(acc[i][j], acc[i][j], acc[i][j])
		}
	}
	a := rows.New(field(offA), field(offLDA), g.rows)
	b := newPanels(field(offB), field, g.panels)
	eachQuad(field, a, func() {
		if g.rows*2 < n || g.panels > 1 { // few rows: one vector of b at a time
			x := make([]VecVirtual, g.rows)
			for i := range x {
				x[i] = ZMM()
				VPBROADCASTD(a.At(i, 0), x[i])
			}
			for j := range n {
				y := ZMM()
				VMOVDQU32(b.at(j/2, j%2*64), y)
				for i := range x {
					VPDPBUSD(y, x[i], acc[i][j])
				}
			}
		} else {
			y := [2]VecVirtual{ZMM(), ZMM()}
			for j := range y {
				VMOVDQU32(b.at(0, j*64), y[j])
				PREFETCHT0(b.at(0, ahead+j*64))
			}
			for i := range acc {
				x := ZMM()
				VPBROADCASTD(a.At(i, 0), x)
				for j := range y {
					VPDPBUSD(y[j], x, acc[i][j])
				}
			}
		}
		a.Advance(U8(4))
		ADDQ(U32(128), b.base)
	})
	c, ldc := field(offC), field(offLDC)
	SHLQ(U8(2), ldc)
	for i, row := range acc {
		for j, v := range row {
			VMOVDQU32(v, Mem{Base: c, Disp: 64 * j})
		}
		if i < len(acc)-1 {
			ADDQ(ldc, c)
		}
	}
	VZEROUPPER()
	RET()
}

// tileAVX2 is a micro-kernel of one or two rows and 32 columns. It splits each four bytes into even and odd
// ones, with 16 bits each, whose products are added exactly.
type tileAVX2 struct{ rows int }

func (g tileAVX2) emit() {
	field := begin(fmt.Sprintf("byteTile%dx32AVX2", g.rows), fmt.Sprintf("%d rows and 32 columns", g.rows), "byteTile")
	acc := make([][4]VecVirtual, g.rows)
	for i := range acc {
		for j := range acc[i] {
			acc[i][j] = YMM()
			VPXOR(acc[i][j], acc[i][j], acc[i][j])
		}
	}
	a := rows.New(field(offA), field(offLDA), g.rows)
	b := field(offB)
	eachQuad(field, a, func() {
		even, odd := make([]VecVirtual, g.rows), make([]VecVirtual, g.rows)
		for i := range acc {
			even[i], odd[i] = YMM(), YMM()
			VPBROADCASTD(a.At(i, 0), odd[i])
			split(odd[i], even[i])
		}
		for j := range 4 {
			e, o := YMM(), YMM()
			evenWords(Mem{Base: b, Disp: 32 * j}, e)
			oddWords(Mem{Base: b, Disp: 32 * j}, o)
			for i := range acc {
				addProducts(even[i], e, acc[i][j])
				addProducts(odd[i], o, acc[i][j])
			}
		}
		a.Advance(U8(4))
		ADDQ(U32(128), b)
	})
	c, ldc := field(offC), field(offLDC)
	SHLQ(U8(2), ldc)
	for i, row := range acc {
		for j, v := range row {
			VMOVDQU(v, Mem{Base: c, Disp: 32 * j})
		}
		if i < len(acc)-1 {
			ADDQ(ldc, c)
		}
	}
	VZEROUPPER()
	RET()
}

// tileVNNI256 is a micro-kernel of some rows of unsigned bytes and 32 columns of each of its panels. Twelve sums, three
// vectors of rows and one of columns are all registers.
type tileVNNI256 struct{ rows, panels int }

func (g tileVNNI256) emit() {
	field := begin(fmt.Sprintf("byteTile%dx%dVNNI256", g.rows, 32*g.panels), fmt.Sprintf("%d rows and %d columns", g.rows, 32*g.panels), "byteTile")
	acc := make([][]VecVirtual, g.rows)
	for i := range acc {
		for range 4 * g.panels {
			v := YMM()
			VPXOR(v, v, v)
			acc[i] = append(acc[i], v)
		}
	}
	a := rows.New(field(offA), field(offLDA), g.rows)
	b := newPanels(field(offB), field, g.panels)
	eachQuad(field, a, func() {
		x := make([]VecVirtual, g.rows)
		for i := range x {
			x[i] = YMM()
			VPBROADCASTD(a.At(i, 0), x[i])
		}
		for j := range 4 * g.panels {
			y := YMM()
			VMOVDQU(b.at(j/4, j%4*32), y)
			for i := range x {
				vex.VPDPBUSD(y, x[i], acc[i][j])
			}
		}
		a.Advance(U8(4))
		ADDQ(U32(128), b.base)
	})
	c, ldc := field(offC), field(offLDC)
	SHLQ(U8(2), ldc)
	for i, row := range acc {
		for j, v := range row {
			VMOVDQU(v, Mem{Base: c, Disp: 32 * j})
		}
		if i < len(acc)-1 {
			ADDQ(ldc, c)
		}
	}
	VZEROUPPER()
	RET()
}

// addProducts adds the products of two words to each lane of acc.
func addProducts(x, y, acc VecVirtual) {
	p := YMM()
	VPMADDWD(y, x, p)
	VPADDD(p, acc, acc)
}

// split leaves the odd bytes of x in x and moves the even ones to even, with 16 bits each.
func split(x, even VecVirtual) {
	VPAND(lowHalves, x, even)
	VPSRLW(U8(8), x, x)
}

// evenWords loads the even bytes of m as words with a sign: what multiplies is one instruction, where shifts are two.
func evenWords(m Mem, v VecVirtual) {
	VMOVDQU(evenBytes, v)
	VPMADDUBSW(m, v, v)
}

// oddWords loads the odd bytes of m as words with a sign.
func oddWords(m Mem, v VecVirtual) {
	VMOVDQU(m, v)
	VPSRAW(U8(8), v, v)
}

// panelPointers addresses up to four panels at a fixed distance.
type panelPointers struct{ base, ldp, ldp3 Register }

func newPanels(b Register, field func(int) Register, panels int) *panelPointers {
	p := &panelPointers{base: b}
	if panels > 1 {
		p.ldp = field(offLDP)
	}
	if panels > 3 {
		p.ldp3 = GP64()
		LEAQ(Mem{Base: p.ldp, Index: p.ldp, Scale: 2}, p.ldp3)
	}
	return p
}

func (p *panelPointers) at(panel, disp int) Mem {
	m := Mem{Base: p.base, Disp: disp}
	switch panel {
	case 1, 2:
		m.Index, m.Scale = p.ldp, uint8(panel)
	case 3:
		m.Index, m.Scale = p.ldp3, 1
	}
	return m
}
