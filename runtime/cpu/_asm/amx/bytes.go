package main

import "github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"

var tilesType = kernels.StructOf("tilesAMX")

// Offsets of its fields.
var (
	offWhole  = tilesType.Offset("whole")
	offRest   = tilesType.Offset("rest")
	offA      = tilesType.Offset("a")
	offA2     = tilesType.Offset("a2")
	offB      = tilesType.Offset("b")
	offC      = tilesType.Offset("c")
	offC2     = tilesType.Offset("c2")
	offLda    = tilesType.Offset("lda")
	offLdc    = tilesType.Offset("ldc")
	offBlock  = tilesType.Offset("blocks")
	offRuns   = tilesType.Offset("runs")
	offSteps  = tilesType.Offset("steps")
	offBackA  = tilesType.Offset("backA")
	offRestB  = tilesType.Offset("restB")
	offRunB   = tilesType.Offset("runB")
	offSkipB  = tilesType.Offset("skipB")
	offPanels = tilesType.Offset("panels")
)

// The tiles: four sums, of two tiles of rows and two of columns, and these operands.
const (
	c00 tile = iota
	c01
	c10
	c11
	a0
	a1
	b0
	b1
)

// Where the operands are.
var (
	upper, lower = rows{0, si, cx}, rows{0, bx, cx}    // rows of a
	left, right  = rows{0, di, r13}, rows{64, di, r13} // columns of b
	sums         = []rows{{0, dx, r9}, {64, dx, r9}, {0, r8, r9}, {64, r8, r9}}
)

// byteTile emits the micro-kernel of two tiles of rows and some panels of 32 columns.
//
// A tile holds 16 groups of four bytes of a row. The remainder of each run needs tiles of other shapes, and to
// set the shapes takes as long as fifty products of tiles: a first pass over all panels adds the products of
// whole tiles, and a second pass those of the remainders. If runs are short, there is only the second pass.
func byteTile(f *file) {
	f.kernel("byteTileAMX", "tilesAMX")
	f.line("MOVQ t+0(FP), AX")
	f.line("MOVQ %d(AX), CX", offLda)
	f.line("MOVQ %d(AX), R9", offLdc)
	f.line("MOVQ $128, R13 // from one group of four rows of b to the next one")
	f.line("CMPQ %d(AX), $0", offBlock)
	f.line("JZ   short")
	f.wholeTiles()
	f.line("CMPQ %d(AX), $0", offRestB)
	f.line("JZ   done")
	f.label("short")
	f.remainders()
	f.label("done")
	f.release()
	f.line("RET")
}

// wholeTiles emits the first pass.
func (f *file) wholeTiles() {
	f.configure(offWhole, ax)
	f.firstPanel()
	f.label("panel")
	f.zeroSums()
	f.firstRun()
	f.label("run")
	f.line("MOVQ %d(AX), R12", offBlock)
	f.label("block")
	f.dot()
	f.line("ADDQ $64, SI")
	f.line("ADDQ $64, BX")
	f.line("ADDQ $2048, DI")
	f.line("DECQ R12")
	f.line("JNZ  block")
	f.line("ADDQ %d(AX), DI", offRestB)
	f.line("DECQ R10")
	f.line("JZ   store")
	f.line("SUBQ %d(AX), SI", offBackA)
	f.line("SUBQ %d(AX), BX", offBackA)
	f.nextRun()
	f.line("JMP  run")
	f.label("store")
	f.storeTo(sums)
	f.nextPanel("panel")
}

// remainders emits the second pass.
func (f *file) remainders() {
	f.configure(offRest, ax)
	f.firstPanel()
	f.line("ADDQ %d(AX), DI", offSkipB)
	f.label("rest")
	f.line("CMPQ %d(AX), $0", offBlock)
	f.line("JZ   first")
	f.loadFrom(sums)
	f.line("JMP  begin")
	f.label("first")
	f.zeroSums()
	f.label("begin")
	f.firstRun()
	f.line("ADDQ %d(AX), SI", offBackA)
	f.line("ADDQ %d(AX), BX", offBackA)
	f.label("each")
	f.dot()
	f.line("ADDQ %d(AX), DI", offRunB)
	f.line("DECQ R10")
	f.line("JZ   last")
	f.nextRun()
	f.line("JMP  each")
	f.label("last")
	f.storeTo(sums)
	f.nextPanel("rest")
}

// firstPanel sets the pointers to b and c to the first panel, and R15 to the number of panels.
func (f *file) firstPanel() {
	f.line("MOVQ %d(AX), DI", offB)
	f.line("MOVQ %d(AX), DX", offC)
	f.line("MOVQ %d(AX), R8", offC2)
	f.line("MOVQ %d(AX), R15", offPanels)
}

// nextPanel continues at the label if there is another panel. The pointer to b is there already.
func (f *file) nextPanel(label string) {
	f.line("ADDQ $128, DX")
	f.line("ADDQ $128, R8")
	f.line("DECQ R15")
	f.line("JNZ  %s", label)
}

// firstRun sets the pointers to a to the first run, and R10 to the number of runs.
func (f *file) firstRun() {
	f.line("MOVQ %d(AX), SI", offA)
	f.line("MOVQ %d(AX), BX", offA2)
	f.line("MOVQ %d(AX), R10", offRuns)
	f.line("MOVQ %d(AX), R11", offSteps)
}

// nextRun moves the pointers to a to the next run.
func (f *file) nextRun() {
	f.line("ADDQ (R11), SI")
	f.line("ADDQ (R11), BX")
	f.line("ADDQ $8, R11")
}

// dot adds the products of the tiles at the pointers.
func (f *file) dot() {
	f.loadOperands()
	f.multiplyOperands()
}

// loadOperands loads the tiles at the pointers. Those of b have the hint that they are used once: so they leave the rows of a in
// the nearest cache.
func (f *file) loadOperands() {
	f.loadOnce(left, b0)
	f.loadOnce(right, b1)
	f.load(upper, a0)
	f.load(lower, a1)
}

func (f *file) multiplyOperands() {
	f.dotBytes(b0, a0, c00)
	f.dotBytes(b1, a0, c01)
	f.dotBytes(b0, a1, c10)
	f.dotBytes(b1, a1, c11)
}

func (f *file) zeroSums() {
	for t := c00; t <= c11; t++ {
		f.zero(t)
	}
}
