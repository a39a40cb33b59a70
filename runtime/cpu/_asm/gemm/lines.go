package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/rows"
)

// lines is a micro-kernel for rows of runs that are t.lda apart, the first of which begins at a[at[0]]: the
// patches of one line of an image. It needs few registers for their addresses, and few instructions between
// runs.
type lines struct {
	kernel
	width int // bytes of a row of b
}

func (g lines) emit() {
	width := g.vecs * g.lanes()
	g.micro(fmt.Sprintf("lines%dx%d%s", g.rows, width, g.name()), fmt.Sprintf("%d rows of runs, evenly apart, and up to %d columns", g.rows, width), g.sum)
}

// sum adds the products, run by run.
func (g lines) sum(field func(int) Register, acc [][]Register) {
	first, base := field(offAt), field(offA)
	LEAQ(Mem{Base: base, Index: first, Scale: 4}, base)
	a := newRows(base, field(offLDA), g.rows)
	b, left, steps, step := field(offB), field(offRuns), field(offSteps), GP64()
	var next Register
	if g.looksAhead() {
		next = field(offAhead)
	}

	Label("run")
	k := field(offK)
	Label("k")
	if next != nil {
		PREFETCHT1(Mem{Base: next})
		ADDQ(U8(64), next)
	}
	g.step(a, b, acc)
	a.Advance(U8(4))
	ADDQ(U32(g.width), b)
	DECQ(k)
	JNZ(LabelRef("k"))
	DECQ(left)
	JZ(LabelRef("finish"))
	MOVQ(Mem{Base: steps}, step)
	ADDQ(U8(8), steps)
	SUBQ(field(offK), step)
	SHLQ(U8(2), step)
	a.Advance(step)
	JMP(LabelRef("run"))
	Label("finish")
}

// step adds the products of one value of k.
func (g lines) step(a *rows.Pointers, b Register, acc [][]Register) {
	g.prefetch(Mem{Base: b})
	y := make([]Register, g.vecs)
	for j := range y {
		y[j] = g.vec()
		g.load(Mem{Base: b, Disp: j * g.lanes() * 4}, y[j])
	}
	for i := range acc {
		g.multiply(a.At(i, 0), y, acc[i])
	}
}
