package main

// Offsets of halfTile's fields.
const (
	halfConfig = 0
	halfA      = 64
	halfB      = 72
	halfC      = 80
	halfC2     = 88
	halfPart   = 96
	halfLower  = 104
	halfStepA  = 112
	halfPartA  = 120
	halfLdc    = 128
	halfSteps  = 136
	halfParts  = 144
	halfSkipB  = 152
	halfPanels = 160
	halfAcc    = 168
)

// Where the operands of halfTile are. Tiles of a, b and of partial sums are each in one piece, so CX is 64.
var (
	halfUpper, halfLowerRows = rows{0, si, cx}, rows{0, bx, cx}
	halfLeft, halfRight      = rows{0, di, cx}, rows{1024, di, cx}
	halfPartial              = []rows{{0, dx, cx}, {1024, dx, cx}, {2048, dx, cx}, {3072, dx, cx}}
	halfSums                 = []rows{{0, r8, r9}, {64, r8, r9}, {0, r11, r9}, {64, r11, r9}}
)

// halfTile emits the micro-kernel of two tiles of rows of bfloat16 and some panels of 32 columns. The steps of k are
// divided into parts. Within a part, the rows of a stay in the nearest cache, and so do the partial sums of all panels.
func halfTile(f *file) {
	f.buf.WriteString("\n// func halfTileAMXBF16(t *halfTile)\nTEXT ·halfTileAMXBF16(SB), NOSPLIT, $0-8\n")
	f.line("MOVQ t+0(FP), AX")
	f.configure(halfConfig, ax)
	f.line("MOVQ $64, CX")
	f.line("MOVQ %d(AX), DI", halfB)
	f.line("MOVQ %d(AX), R9", halfLdc)
	f.line("MOVQ %d(AX), R13", halfParts)
	f.label("part")
	f.line("MOVQ %d(AX), DX", halfPart)
	f.line("MOVQ %d(AX), R8", halfC)
	f.line("MOVQ %d(AX), R11", halfC2)
	f.line("MOVQ %d(AX), R15", halfPanels)
	f.line("MOVQ R8, R10 // what is prefetched")
	f.label("panel")
	f.line("MOVQ %d(AX), SI", halfA)
	f.line("MOVQ SI, BX")
	f.line("ADDQ %d(AX), BX", halfLower)
	f.line("MOVQ %d(AX), R12", halfSteps)
	f.line("CMPQ %d(AX), R13", halfParts)
	f.line("JZ   first")
	f.loadFrom(halfPartial)
	f.label("step")
	f.dotStep()
	f.line("JNZ  step")
	f.label("store")
	f.line("CMPQ R13, $1")
	f.line("JZ   last")
	f.storeTo(halfPartial)
	f.line("JMP  next")
	f.label("last")
	f.storeTo(halfSums)
	f.label("next")
	f.line("ADDQ $4096, DX")
	f.line("ADDQ $128, R8")
	f.line("ADDQ $128, R11")
	f.line("DECQ R15")
	f.line("JNZ  panel")
	f.line("MOVQ %d(AX), SI", halfPartA)
	f.line("ADDQ SI, %d(AX)", halfA)
	f.line("ADDQ %d(AX), DI", halfSkipB)
	f.line("DECQ R13")
	f.line("JNZ  part")
	f.release()
	f.line("RET")

	// In the first part, rows of c are prefetched, as stores would wait for them.
	f.label("first")
	f.line("CMPQ %d(AX), $0", halfAcc)
	f.line("JZ   zero")
	f.loadFrom(halfSums)
	f.line("JMP  ahead")
	f.label("zero")
	f.zeroSums()
	f.label("ahead")
	for line := 0; line < 512; line += 64 {
		f.line("PREFETCHT0 %d(R10)", line)
	}
	f.line("ADDQ R9, R10")
	f.dotStep()
	f.line("JNZ  ahead")
	f.line("JMP  store")
}

// dotStep adds the products of the tiles at the pointers, and goes on to the next ones. The zero flag is set after the
// last step.
func (f *file) dotStep() {
	f.fetch()
	f.load(halfUpper, a0)
	f.load(halfLeft, b0)
	f.dotHalves(b0, a0, c00)
	f.load(halfRight, b1)
	f.dotHalves(b1, a0, c01)
	f.load(halfLowerRows, a1)
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
