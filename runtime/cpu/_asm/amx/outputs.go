package main

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

var outType = kernels.StructOf("outputTile")

// Offsets of its fields.
var (
	outConfig   = outType.Offset("config")
	outA        = outType.Offset("a")
	outA2       = outType.Offset("a2")
	outB        = outType.Offset("b")
	outSums     = outType.Offset("sums")
	outLower    = outType.Offset("lower")
	outLda      = outType.Offset("lda")
	outBlocks   = outType.Offset("blocks")
	outRuns     = outType.Offset("runs")
	outSteps    = outType.Offset("steps")
	outBackA    = outType.Offset("backA")
	outGroups   = outType.Offset("groups")
	outPanels   = outType.Offset("panels")
	outLeft     = outType.Offset("left")
	outRows     = outType.Offset("rows")
	outEach     = outType.Offset("each")
	outDst      = outType.Offset("dst")
	outLdd      = outType.Offset("ldd")
	outNext     = outType.Offset("next")
	outAdd      = outType.Offset("add")
	outMult     = outType.Offset("mult")
	outLow      = outType.Offset("low")
	outHigh     = outType.Offset("high")
	outZero     = outType.Offset("zero")
	outGroupA   = outType.Offset("groupA")
	outGroupDst = outType.Offset("groupDst")
	outGroupAdd = outType.Offset("groupAdd")

	outStepA     = outType.Offset("stepA")
	outFrom      = outType.Offset("from")
	outFrom2     = outType.Offset("from2")
	outLdFrom    = outType.Offset("ldFrom")
	outGroupFrom = outType.Offset("groupFrom")
)

// sumsSize is the memory of the sums of one panel: 32 rows of 32.
const sumsSize = 32 * 32 * 4

// Where the sums of a panel are stored. R13 is the size of a row, which is that of a group of four rows of b as well.
var (
	outUpper = []rows{{0, dx, r13}, {64, dx, r13}}
	outUnder = []rows{{0, r9, r13}, {64, r9, r13}}
)

// output is what becomes of sums.
type output struct {
	name       string
	parameters int           // of each column: 1 is added, 2 is a factor as well
	far        bool          // stores bypass the caches
	row        func(f *file) // emits the outputs at R14 of a row of sums at R15
}

// outputs are the kinds of outputs. Parameters of the panel's columns are in registers: what is added in Z0 and Z1, factors in Z2
// and Z3; and those of all columns: bounds in Z4 and Z5, a zero point in Z6.
var outputs = []output{
	{"Ints", 1, false, func(f *file) { f.intsRow("VMOVDQU32") }},
	{"FarInts", 1, true, func(f *file) { f.intsRow("VMOVNTDQ") }},
	{"Floats", 2, false, func(f *file) {
		f.floatsRow()
		f.line("VMOVUPS Z8, (R14)")
		f.line("VMOVUPS Z9, 64(R14)")
	}},
	{"Bytes", 2, false, func(f *file) {
		f.floatsRow()
		for i := range 2 {
			x := fmt.Sprint("Z", 8+i)
			f.line("VMINPS Z5, %s, %s", x, x)
			f.line("VCVTPS2DQ %s, %s", x, x)
			f.line("VPADDD Z6, %s, %s", x, x)
			f.line("VPMOVDB %s, %d(R14)", x, 16*i)
		}
	}},
}

func (f *file) addRow() {
	f.line("VPADDD (R15), Z0, Z8")
	f.line("VPADDD 64(R15), Z1, Z9")
}

func (f *file) intsRow(store string) {
	f.addRow()
	f.line("%s Z8, (R14)", store)
	f.line("%s Z9, 64(R14)", store)
}

func (f *file) floatsRow() {
	f.addRow()
	for i := range 2 {
		x := fmt.Sprint("Z", 8+i)
		f.line("VCVTDQ2PS %s, %s", x, x)
		f.line("VMULPS Z%d, %s, %s", 2+i, x, x)
		f.line("VMAXPS Z4, %s, %s // the bound where the sum is NaN", x, x)
	}
}

// byteOutputs emits the micro-kernel of groups of two tiles of rows and some panels of 32 columns, with their outputs.
//
// To store tiles and to convert them takes as long as some steps. So the sums of a panel are converted while those of the next
// one are computed: a few rows with each step. The two panels have their own memory in the nearest cache.
func byteOutputs(f *file, o output) {
	f.kernel("byte"+o.name+"AMX", "outputTile")
	f.line("MOVQ t+0(FP), AX")
	f.configure(outConfig, ax)
	f.line("VBROADCASTSS %d(AX), Z4", outLow)
	f.line("VBROADCASTSS %d(AX), Z5", outHigh)
	f.line("VBROADCASTSS %d(AX), Z6", outZero)
	f.line("MOVQ %d(AX), CX", outLda)
	f.line("MOVQ %d(AX), DX", outSums)
	f.line("MOVQ $128, R13")
	f.line("XORQ R8, R8 // rows whose sums are not converted")

	f.label("group")
	f.firstPanelOfGroup()
	f.label("panel")
	f.zeroSums()
	f.line("MOVQ %d(AX), SI", outA)
	f.line("MOVQ %d(AX), BX", outA2)
	f.line("MOVQ %d(AX), R10", outRuns)
	f.line("MOVQ %d(AX), R11", outSteps)
	f.label("run")
	f.line("MOVQ %d(AX), R12", outBlocks)
	f.label("block")
	f.loadOperands()
	f.convertSome(o)
	f.multiplyOperands()
	f.line("ADDQ $64, SI")
	f.line("ADDQ $64, BX")
	f.line("ADDQ $2048, DI")
	f.line("DECQ R12")
	f.line("JNZ  block")
	f.line("DECQ R10")
	f.line("JZ   store")
	f.line("SUBQ %d(AX), SI", outBackA)
	f.line("SUBQ %d(AX), BX", outBackA)
	f.nextRun()
	f.line("JMP  run")

	f.label("store")
	f.endPanel(o)
}

// endPanel stores the sums of a panel, and goes on to the next panel, the next group, or the end.
func (f *file) endPanel(o output) {
	f.line("MOVQ DX, R9")
	f.line("ADDQ %d(AX), R9", outLower)
	for i := range 2 {
		f.store(c00+tile(i), outUpper[i])
		f.store(c10+tile(i), outUnder[i])
	}
	f.beginOutputs(o)
	f.line("DECQ %d(AX)", outLeft)
	f.line("JNZ  panel")
	f.nextGroup(o)
	f.line("DECQ %d(AX)", outGroups)
	f.line("JNZ  group")
	f.release()
	f.line("MOVQ R8, R9")
	f.convertRows(o, "last", "end")
	f.label("end")
	if o.far {
		f.line("SFENCE")
	}
	f.line("VZEROUPPER")
	f.line("RET")
}

// beginOutputs sets the pointers to the sums and outputs of the panel whose sums have been stored, and loads the parameters of
// its columns.
func (f *file) beginOutputs(o output) {
	f.line("MOVQ DX, R15")
	f.line("XORQ $%d, DX", sumsSize)
	f.line("MOVQ %d(AX), R8", outRows)
	f.line("MOVQ %d(AX), R14", outDst)
	f.line("MOVQ %d(AX), R9", outNext)
	f.line("ADDQ R9, %d(AX)", outDst)
	for i, offset := range []int{outAdd, outMult}[:o.parameters] {
		f.columnParameters(offset, 2*i)
	}
}

// nextGroup moves the pointers to the next rows of a and of the outputs, and back to the parameters of the first column.
func (f *file) nextGroup(o output) {
	f.line("MOVQ %d(AX), R9", outGroupA)
	f.line("ADDQ R9, %d(AX)", outA)
	f.line("ADDQ R9, %d(AX)", outA2)
	f.line("MOVQ %d(AX), R9", outGroupDst)
	f.line("ADDQ R9, %d(AX)", outDst)
	for _, offset := range []int{outAdd, outMult}[:o.parameters] {
		f.line("MOVQ %d(AX), R9", outGroupAdd)
		f.line("ADDQ R9, %d(AX)", offset)
	}
	if o.parameters == 0 {
		f.line("MOVQ %d(AX), R9", outGroupFrom)
		f.line("ADDQ R9, %d(AX)", outFrom)
		f.line("ADDQ R9, %d(AX)", outFrom2)
	}
}

// columnParameters loads 32 parameters and moves the pointer at offset behind them.
func (f *file) columnParameters(offset, register int) {
	f.line("MOVQ %d(AX), R9", offset)
	f.line("VMOVDQU32 (R9), Z%d", register)
	f.line("VMOVDQU32 64(R9), Z%d", register+1)
	f.line("ADDQ $128, R9")
	f.line("MOVQ R9, %d(AX)", offset)
}

func (f *file) firstPanelOfGroup() {
	f.line("MOVQ %d(AX), DI", outB)
	f.line("MOVQ %d(AX), R9", outPanels)
	f.line("MOVQ R9, %d(AX)", outLeft)
}

// convertSome converts the rows of sums that belong to a block, if any are left.
func (f *file) convertSome(o output) {
	f.line("CMPQ R8, $0")
	f.line("JZ   products")
	f.line("MOVQ %d(AX), R9", outEach)
	f.convertRows(o, "row", "products")
	f.label("products")
}

// convertRows converts up to R9 rows of sums, and goes to done behind the last one.
func (f *file) convertRows(o output, label, done string) {
	f.label(label)
	o.row(f)
	f.line("ADDQ $128, R15")
	f.line("ADDQ %d(AX), R14", outLdd)
	f.line("DECQ R8")
	f.line("JZ   %s", done)
	f.line("DECQ R9")
	f.line("JNZ  %s", label)
}
