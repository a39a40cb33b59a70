package main

// Offsets of halfTile's fields.
const (
	halfConfig = 0
	halfA      = 64
	halfB      = 72
	halfC      = 80
	halfC2     = 88
	halfLower  = 96
	halfStepA  = 104
	halfLdc    = 112
	halfGroupC = 120
	halfAhead  = 128
	halfRest   = 136
	halfPanels = 144
	halfGroups = 152
	halfAcc    = 160
)

// Where the operands of halfTile are. Tiles of a and b are each in one piece, so CX is 64.
var (
	halfUpper, halfLowerRows = rows{0, si, cx}, rows{0, bx, cx}
	halfLeft, halfRight      = rows{0, di, cx}, rows{1024, di, cx}
	halfSums                 = []rows{{0, r8, r9}, {64, r8, r9}, {0, r11, r9}, {64, r11, r9}}
)

// halfTile emits the micro-kernel of groups of two tiles of rows of bfloat16 and some panels of 32 columns. The sums of
// a group and a panel stay in tiles for all of k.
func halfTile(f *file) {
	f.buf.WriteString("\n// func halfTileAMXBF16(t *halfTile)\nTEXT ·halfTileAMXBF16(SB), NOSPLIT, $0-8\n")
	f.line("MOVQ t+0(FP), AX")
	f.configure(halfConfig, ax)
	f.line("MOVQ $64, CX")
	f.line("MOVQ %d(AX), R9", halfLdc)
	f.line("MOVQ %d(AX), DX // the group's rows of a", halfA)
	f.line("MOVQ %d(AX), R13", halfGroups)
	f.label("group")
	f.line("MOVQ %d(AX), DI", halfB)
	f.line("MOVQ %d(AX), R8", halfC)
	f.line("MOVQ %d(AX), R11", halfC2)
	f.line("MOVQ %d(AX), R15", halfPanels)
	f.label("panel")
	f.line("MOVQ DX, SI")
	f.line("MOVQ DX, BX")
	f.line("ADDQ %d(AX), BX", halfLower)
	f.line("CMPQ %d(AX), $0", halfAcc)
	f.line("JZ   zero")
	f.loadFrom(halfSums)
	f.line("JMP  begin")
	f.label("zero")
	f.zeroSums()
	f.label("begin")

	// Rows of c are prefetched, as stores would wait for them. The nearest cache has no room for them where they are a
	// power of two apart.
	f.line("MOVQ R8, R10")
	f.line("MOVQ %d(AX), R12", halfAhead)
	f.label("ahead")
	for range 2 {
		f.line("PREFETCHT1 (R10)")
		f.line("PREFETCHT1 64(R10)")
		f.line("ADDQ R9, R10")
	}
	f.dotStep()
	f.line("JNZ  ahead")
	f.line("CMPQ %d(AX), $0", halfRest)
	f.line("JZ   store")
	f.line("MOVQ %d(AX), R12", halfRest)
	f.label("step")
	f.dotStep()
	f.line("JNZ  step")
	f.label("store")
	f.storeTo(halfSums)
	f.line("ADDQ $128, R8")
	f.line("ADDQ $128, R11")
	f.line("DECQ R15")
	f.line("JNZ  panel")
	f.line("MOVQ SI, DX // the next group's rows follow")
	f.line("MOVQ %d(AX), R10", halfGroupC)
	f.line("ADDQ R10, %d(AX)", halfC)
	f.line("ADDQ R10, %d(AX)", halfC2)
	f.line("DECQ R13")
	f.line("JNZ  group")
	f.release()
	f.line("RET")
}

// dotStep adds the products of the tiles at the pointers, and goes on to the next ones. The zero flag is set after the
// last step.
//
// Loads come first: where another thread uses the same core, loads and products of tiles do not overlap, and each
// change from one to the other costs.
func (f *file) dotStep() {
	f.load(halfUpper, a0)
	f.load(halfLowerRows, a1)
	f.load(halfLeft, b0)
	f.load(halfRight, b1)
	f.dotHalves(b0, a0, c00)
	f.dotHalves(b1, a0, c01)
	f.dotHalves(b0, a1, c10)
	f.dotHalves(b1, a1, c11)
	f.line("ADDQ %d(AX), SI", halfStepA)
	f.line("ADDQ %d(AX), BX", halfStepA)
	f.line("ADDQ $2048, DI")
	f.line("DECQ R12")
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
