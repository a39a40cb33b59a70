package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

// Offsets of gemmTile's fields that only these kernels read.
var (
	offRuns  = tileType.Offset("runs")
	offSteps = tileType.Offset("steps")
	offAt    = tileType.Offset("at")
)

// runs is a micro-kernel for rows of a that consist of runs at any places. Row i begins at a[at[i]] with t.k
// floats. The next run begins as many floats later as the next one of t.steps; there are t.runs in all. In
// the panel of b the runs are adjacent.
type runs struct {
	kernel
	width int // bytes of a row of b
}

// inRegisters is the number of rows whose addresses are in registers; those of the others are on the stack.
const inRegisters = 12

func (g runs) emit() {
	width := g.vecs * g.lanes()
	name := fmt.Sprintf("runs%dx%d%s", g.rows, width, g.name())
	kernels.Text(name, "func(t *gemmTile)")
	Doc(fmt.Sprintf("%s is a micro-kernel of %d rows of runs and up to %d columns.", name, g.rows, width))
	acc := g.sums()
	g.start(readField, acc)
	g.sum(acc)
	g.finish(acc)
}

// read sets r to a field. All registers are needed, so t is not kept in one.
func read(off int, r Register) {
	Load(Param("t"), r)
	MOVQ(Mem{Base: r, Disp: off}, r)
}

func readField(off int) Register {
	r := GP64()
	read(off, r)
	return r
}

// addresses is the addresses of the ends of the rows' runs.
type addresses struct {
	regs  []Register
	stack Mem
	tmp   Register
}

// of returns the address of row i in a register that a load can use.
func (p *addresses) of(i int) Register {
	if i < len(p.regs) {
		return p.regs[i]
	}
	MOVQ(p.stack.Offset(8*(i-len(p.regs))), p.tmp)
	return p.tmp
}

// sum adds the products, run by run. An index counts from minus the length of a run up to zero.
func (g runs) sum(acc [][]Register) {
	const negK, runsLeft, steps, ahead, rest = 0, 8, 16, 24, 32
	local := AllocLocal(rest + 8*max(0, g.rows-inRegisters))
	a, tmp := GP64(), GP64()
	p := &addresses{stack: local.Offset(rest), tmp: tmp}
	read(offRuns, tmp)
	MOVQ(tmp, local.Offset(runsLeft))
	read(offSteps, tmp)
	MOVQ(tmp, local.Offset(steps))
	read(offAhead, tmp)
	MOVQ(tmp, local.Offset(ahead))
	read(offA, a)
	read(offK, tmp)
	LEAQ(Mem{Base: a, Index: tmp, Scale: 4}, a)
	SHLQ(U8(2), tmp)
	NEGQ(tmp)
	MOVQ(tmp, local.Offset(negK))
	for i := range g.rows {
		read(offAt+8*i, tmp)
		LEAQ(Mem{Base: a, Index: tmp, Scale: 4}, tmp)
		if i < inRegisters {
			r := GP64()
			MOVQ(tmp, r)
			p.regs = append(p.regs, r)
		} else {
			MOVQ(tmp, p.stack.Offset(8*(i-inRegisters)))
		}
	}
	k, b := GP64(), GP64()
	read(offB, b)
	MOVQ(local.Offset(negK), k)

	const unroll = 2
	Label("run")
	ADDQ(U8(4*unroll), k)
	JG(LabelRef("tail"))
	Label("loop")
	if g.looksAhead() {
		MOVQ(local.Offset(ahead), tmp)
		for u := range unroll {
			PREFETCHT1(Mem{Base: tmp, Disp: 64 * u})
		}
		ADDQ(U32(64*unroll), tmp)
		MOVQ(tmp, local.Offset(ahead))
	}
	for u := range unroll {
		g.step(p, k, b, u, unroll, acc)
	}
	ADDQ(U32(unroll*g.width), b)
	ADDQ(U8(4*unroll), k)
	JLE(LabelRef("loop"))
	Label("tail")
	SUBQ(U8(4*unroll), k)
	JZ(LabelRef("endRun"))
	Label("tailLoop")
	g.step(p, k, b, 0, 0, acc)
	ADDQ(U32(g.width), b)
	ADDQ(U8(4), k)
	JNZ(LabelRef("tailLoop"))
	Label("endRun")
	DECQ(local.Offset(runsLeft))
	JZ(LabelRef("finish"))
	MOVQ(local.Offset(steps), tmp)
	MOVQ(Mem{Base: tmp}, k)
	ADDQ(U8(8), tmp)
	MOVQ(tmp, local.Offset(steps))
	SHLQ(U8(2), k)
	for _, r := range p.regs {
		ADDQ(k, r)
	}
	for i := inRegisters; i < g.rows; i++ {
		ADDQ(k, p.stack.Offset(8*(i-inRegisters)))
	}
	MOVQ(local.Offset(negK), k)
	JMP(LabelRef("run"))
	Label("finish")
}

// step adds the products of one value of k: u after the index, which is ahead too large.
func (g runs) step(p *addresses, k, b Register, u, ahead int, acc [][]Register) {
	g.prefetch(Mem{Base: b, Disp: u * g.width})
	y := make([]Register, g.vecs)
	for j := range y {
		y[j] = g.vec()
		g.load(Mem{Base: b, Disp: u*g.width + j*g.lanes()*4}, y[j])
	}
	for i := range acc {
		g.multiply(Mem{Base: p.of(i), Index: k, Scale: 1, Disp: 4 * (u - ahead)}, y, acc[i])
	}
}
