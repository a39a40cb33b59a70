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
	halfBlocks = 120
	halfSkipB  = 128
	halfPanels = 136
	halfAcc    = 144
)

// Where the operands of halfTile are. Tiles of a and b are each in one piece, so CX is 64.
var (
	halfUpper, halfLowerRows = rows{0, si, cx}, rows{0, bx, cx}
	halfLeft, halfRight      = rows{0, di, cx}, rows{0, r11, cx}
)

// halfTile emits the micro-kernel of two tiles of rows of bfloat16 and some panels of 32 columns.
func halfTile(f *file) {
	f.buf.WriteString("\n// func halfTileAMXBF16(t *halfTile)\nTEXT ·halfTileAMXBF16(SB), NOSPLIT, $0-8\n")
	f.line("MOVQ t+0(FP), AX")
	f.configure(halfConfig, ax)
	f.line("MOVQ $64, CX")
	f.line("MOVQ %d(AX), R9", halfLdc)
	f.line("MOVQ %d(AX), R10", halfStepA)
	f.line("MOVQ %d(AX), DI", halfB)
	f.line("MOVQ DI, R11")
	f.line("ADDQ $1024, R11")
	f.line("MOVQ %d(AX), DX", halfC)
	f.line("MOVQ %d(AX), R8", halfC2)
	f.line("MOVQ %d(AX), R15", halfPanels)
	f.label("panel")
	f.line("MOVQ %d(AX), SI", halfA)
	f.line("MOVQ SI, BX")
	f.line("ADDQ %d(AX), BX", halfLower)
	f.line("MOVQ %d(AX), R12", halfBlocks)
	f.line("CMPQ %d(AX), $0", halfAcc)
	f.line("JZ   first")
	f.loadSums()
	f.line("JMP  block")
	f.label("first")
	f.zeroSums()
	f.label("block")
	f.fetch()
	f.dotBlock()
	f.line("ADDQ R10, SI")
	f.line("ADDQ R10, BX")
	f.line("ADDQ $2048, DI")
	f.line("ADDQ $2048, R11")
	f.line("DECQ R12")
	f.line("JNZ  block")
	f.storeSums()
	f.line("ADDQ %d(AX), DI", halfSkipB)
	f.line("ADDQ %d(AX), R11", halfSkipB)
	f.nextPanel("panel")
	f.release()
	f.line("RET")
}

// dotBlock adds the products of the tiles at the pointers.
func (f *file) dotBlock() {
	f.load(halfUpper, a0)
	f.load(halfLeft, b0)
	f.dotHalves(b0, a0, c00)
	f.load(halfRight, b1)
	f.dotHalves(b1, a0, c01)
	f.load(halfLowerRows, a1)
	f.dotHalves(b0, a1, c10)
	f.dotHalves(b1, a1, c11)
}
