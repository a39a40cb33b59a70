package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// columns is a micro-kernel for the transpose of a: the values of one k are adjacent, and those of the next k begin t.lda
// later. It needs one pointer for all rows.
type columns struct{ kernel }

func (g columns) emit() {
	width := g.vecs * g.lanes()
	g.micro(fmt.Sprintf("columns%dx%d%s", g.rows, width, g.name()), fmt.Sprintf("%d columns of a, which are the rows of its transpose, and up to %d columns of b", g.rows, width), g.sum)
}

// sum adds the products, two values of k in each turn.
func (g columns) sum(field func(int) Register, acc [][]Register) {
	a, lda, b, k := field(offA), field(offLDA), newPanels(g.kernel, field), field(offK)
	SHLQ(U8(2), lda)
	DECQ(k)
	JZ(LabelRef("last"))
	Label("loop")
	for range 2 {
		g.step(a, lda, b, acc)
	}
	SUBQ(U8(2), k)
	JG(LabelRef("loop"))
	JL(LabelRef("finish"))
	Label("last")
	g.step(a, lda, b, acc)
	Label("finish")
}

// step adds the products of one value of k.
func (g columns) step(a, lda Register, b *panels, acc [][]Register) {
	PREFETCHT0(Mem{Base: a, Index: lda, Scale: 8})
	g.prefetch(Mem{Base: b.at})
	y := make([]Register, g.vecs)
	for j := range y {
		y[j] = g.vec()
		g.load(b.vector(j), y[j])
	}
	for i := range acc {
		g.multiply(Mem{Base: a, Disp: 4 * i}, y, acc[i])
	}
	ADDQ(lda, a)
	ADDQ(b.step, b.at)
}
