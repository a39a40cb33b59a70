package main

// Where the columns of b are: R10 is the size of a row of a tile.
var halfLeft, halfRight = rows{0, di, r10}, rows{1024, di, r10}

// loadHalves loads the tiles at the pointers. Those of b have the hint that they are used once: so they leave the rows of a in the
// nearest cache.
//
// Loads come first: where another thread uses the same core, loads and products of tiles do not overlap, and each
// change from one to the other costs.
func (f *file) loadHalves() {
	f.loadOnce(halfLeft, b0)
	f.loadOnce(halfRight, b1)
	f.load(upper, a0)
	f.load(lower, a1)
}

func (f *file) loadFrom(places []rows) {
	for i, m := range places {
		f.load(m, tile(i))
	}
}

func (f *file) storeTo(places []rows) {
	for i, m := range places {
		f.store(tile(i), m)
	}
}

// outFromRows is where sums begin that do not begin with zero.
var outFromRows = []rows{{0, r9, r12}, {64, r9, r12}, {0, r11, r12}, {64, r11, r12}}

// halfOutputKinds are the outputs of sums of bfloat16: they are stored as they are.
var halfOutputKinds = []output{
	{"Outputs", 0, false, func(f *file) { f.copyRow("VMOVUPS") }},
	{"FarOutputs", 0, true, func(f *file) { f.copyRow("VMOVNTDQ") }},
}

func (f *file) copyRow(store string) {
	f.line("VMOVUPS (R15), Z8")
	f.line("VMOVUPS 64(R15), Z9")
	f.line("%s Z8, (R14)", store)
	f.line("%s Z9, 64(R14)", store)
}

// halfOutputs is byteOutputs for bfloat16. The sums begin with zero, or with others.
func halfOutputs(f *file, o output) {
	f.kernel("half"+o.name+"AMXBF16", "outputTile")
	f.line("MOVQ t+0(FP), AX")
	f.configure(outConfig, ax)
	f.line("MOVQ %d(AX), CX", outLda)
	f.line("MOVQ %d(AX), DX", outSums)
	f.line("MOVQ $64, R10")
	f.line("MOVQ $128, R13")
	f.line("XORQ R8, R8 // rows whose sums are not stored")
	f.label("group")
	f.firstPanelOfGroup()
	f.label("panel")
	f.beginSums()
	f.line("MOVQ %d(AX), SI", outA)
	f.line("MOVQ %d(AX), BX", outA2)
	f.line("MOVQ %d(AX), R12", outBlocks)
	f.label("block")
	f.loadHalves()
	f.convertSome(o)
	f.multiplyHalves()
	f.line("ADDQ %d(AX), SI", outStepA)
	f.line("ADDQ %d(AX), BX", outStepA)
	f.line("ADDQ $2048, DI")
	f.line("DECQ R12")
	f.line("JNZ  block")
	f.endPanel(o)
}

// beginSums loads the sums with which a panel begins.
func (f *file) beginSums() {
	f.line("CMPQ %d(AX), $0", outFrom)
	f.line("JZ   zero")
	f.line("MOVQ %d(AX), R9", outFrom)
	f.line("MOVQ %d(AX), R11", outFrom2)
	f.line("MOVQ %d(AX), R12", outLdFrom)
	f.loadFrom(outFromRows)
	f.line("ADDQ $128, %d(AX)", outFrom)
	f.line("ADDQ $128, %d(AX)", outFrom2)
	f.line("JMP  begin")
	f.label("zero")
	f.zeroSums()
	f.label("begin")
}

func (f *file) multiplyHalves() {
	f.dotHalves(b0, a0, c00)
	f.dotHalves(b1, a0, c01)
	f.dotHalves(b0, a1, c10)
	f.dotHalves(b1, a1, c11)
}
