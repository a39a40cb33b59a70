package main

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

// integers writes the kernels of quantized values. Products need the dot product of bytes, FEAT_DotProd, which processors
// for phones have since 2018. It multiplies signed bytes with signed ones. A tile has unsigned bytes in a, so their highest
// bit is flipped, which subtracts 128 from each; and what that subtracts from the sums of a column, 128 times the sum of its
// bytes, is computed with them, as if there were one more row.
func integers(f *file) {
	for rows := 1; rows <= byteRows; rows++ {
		byteTile(f, rows)
	}
	depth(f)
	store(f, "Ints", 4, storeInts)
	store(f, "Floats", 4, storeFloats)
	store(f, "Bytes", 1, storeBytes)
	quantize(f)
	dequantize(f, "S8", true)
	dequantize(f, "U8", false)
}

// byteRows is the maximum number of rows of a tile.
const byteRows = 4

var (
	byteType    = kernels.StructOf("byteTile")
	depthType   = kernels.StructOf("depthTile")
	requantType = kernels.StructOf("requantTile")
)

// Registers of tiles of bytes: sums of four rows in V0…V15, what is subtracted from them in V16…V19, a in V20…V23, b in
// V25…V28, and 128 in each byte of V31.
const (
	minusRow  = byteRows
	flipVec   = 31
	panelSize = 128 // bytes of four values of k of a panel
)

// dotLane is d += a·b, where each lane of d is the sum of four products, with the same four bytes of b for all lanes.
func (f *file) dotLane(d, a, b, lane int) {
	code := uint32(0x4F80E000) | uint32(lane&1)<<21 | uint32(lane>>1)<<11 | uint32(b)<<16 | uint32(a)<<5 | uint32(d)
	f.word(code, "SDOT.4S V%d, V%d, V%d[%d]", d, a, b, lane)
}

// dot4 is d += a·b, where each lane of d is the sum of four products.
func (f *file) dot4(d, a, b int) {
	f.word(uint32(0x4E809400)|uint32(b)<<16|uint32(a)<<5|uint32(d), "SDOT.4S V%d, V%d, V%d", d, a, b)
}

func (f *file) zero(regs ...int) {
	for _, r := range regs {
		f.line("VEOR V%d.B16, V%d.B16, V%d.B16", r, r, r)
	}
}

// byteTile writes a micro-kernel for some rows and one panel, which it computes in two halves.
func byteTile(f *file, rows int) {
	from := func(r int) string { return fmt.Sprintf("R%d", 4+r) }
	ptr := func(r int) string { return fmt.Sprintf("R%d", 19+r) }
	f.text(fmt.Sprintf("byteTile%dx32NEON", rows), "(t *byteTile)", 8)
	f.line("MOVD t+0(FP), R0")
	f.line("MOVD %d(R0), %s", byteType.Offset("a"), from(0))
	f.line("MOVD %d(R0), R12", byteType.Offset("lda"))
	for r := 1; r < rows; r++ {
		f.line("ADD R12, %s, %s", from(r-1), from(r))
	}
	f.line("MOVD %d(R0), R1", byteType.Offset("b"))
	f.line("MOVD %d(R0), R9", byteType.Offset("c"))
	f.line("MOVD %d(R0), R10", byteType.Offset("ldc"))
	f.line("LSL $2, R10")
	f.line("MOVD %d(R0), R13", byteType.Offset("quads"))
	f.line("VMOVI $128, V%d.B16", flipVec)
	f.line("MOVD $2, R14")
	f.label("half")
	for i := range 4 * rows {
		f.zero(i)
	}
	for j := range 4 {
		f.zero(acc(minusRow, j))
	}
	for r := range rows {
		f.line("MOVD %s, %s", from(r), ptr(r))
	}
	f.line("MOVD R1, R2")
	f.line("MOVD R13, R3")
	f.label("four")
	f.line("SUBS $4, R3")
	f.line("BLT rest")
	for r := range rows {
		f.line("FMOVQ.P 16(%s), F%d", ptr(r), aVec(r))
		f.line("VEOR V%d.B16, V%d.B16, V%d.B16", flipVec, aVec(r), aVec(r))
	}
	for lane := range 4 {
		quad(f, rows, lane)
	}
	f.line("B four")
	f.label("rest")
	f.line("ADD $4, R3")
	f.label("one")
	f.line("SUBS $1, R3")
	f.line("BLT end")
	for r := range rows {
		f.line("FMOVS.P 4(%s), F%d", ptr(r), aVec(r))
		f.line("VEOR V%d.B16, V%d.B16, V%d.B16", flipVec, aVec(r), aVec(r))
	}
	quad(f, rows, 0)
	f.line("B one")
	f.label("end")
	f.line("MOVD R9, R12")
	for r := range rows {
		for j := range 4 {
			f.emit(sub, acc(r, j), acc(r, j), acc(minusRow, j))
			f.line("FMOVQ F%d, %d(R12)", acc(r, j), 16*j)
		}
		if r+1 < rows {
			f.line("ADD R10, R12")
		}
	}
	f.line("ADD $%d, R1", panelSize/2)
	f.line("ADD $64, R9")
	f.line("SUBS $1, R14")
	f.line("BNE half")
	f.line("RET")
}

// quad adds the products of four values of k, which are the given lane of the registers with a.
func quad(f *file, rows, lane int) {
	for j := 0; j < 4; j += 2 {
		f.line("FLDPQ %d(R2), (F%d, F%d)", 16*j, bVec(j), bVec(j+1))
	}
	f.line("ADD $%d, R2", panelSize)
	for j := range 4 {
		for r := range rows {
			f.dotLane(acc(r, j), bVec(j), aVec(r), lane)
		}
		f.dotLane(acc(minusRow, j), bVec(j), flipVec, 0)
	}
}

// depth writes the micro-kernel of a convolution of filters of one channel each, for 16 channels: sums in V0…V3, their
// beginning in V4…V7, four taps in V16…V19 and V20…V23, weights in V24…V27.
func depth(f *file) {
	const groups = 256 // bytes from four taps to the next four in the layout of PackDepth8
	f.text("depth16NEON", "(t *depthTile)", 8)
	f.line("MOVD t+0(FP), R0")
	for i, field := range []string{"image", "taps", "weights", "to", "fours", "pixels", "from", "step"} {
		f.line("MOVD %d(R0), R%d", depthType.Offset(field), 1+i) // R1 image, R2 taps, R3 weights, R4 to, R5 fours, R6 pixels, R7 from, R8 step
	}
	f.line("VMOVI $128, V%d.B16", flipVec)
	f.zero(4, 5, 6, 7)
	f.line("MOVD R3, R10")
	f.line("MOVD R5, R11")
	f.label("begin")
	f.line("SUBS $1, R11")
	f.line("BLT begun")
	for g := range 4 {
		f.line("FMOVQ %d(R10), F%d", 64*g, 24+g)
		f.dot4(4+g, 24+g, flipVec)
	}
	f.line("ADD $%d, R10", groups)
	f.line("B begin")
	f.label("begun")
	f.label("pixel")
	f.line("SUBS $1, R6")
	f.line("BLT end")
	f.zero(0, 1, 2, 3)
	f.line("MOVD R3, R10")
	f.line("MOVD R5, R11")
	f.line("MOVD R2, R12")
	f.label("taps")
	f.line("SUBS $1, R11")
	f.line("BLT summed")
	for t := range 4 {
		f.line("MOVD.P 8(R12), R13")
		f.line("ADD R1, R13")
		f.line("FMOVQ 0(R13), F%d", 16+t)
		f.line("VEOR V%d.B16, V%d.B16, V%d.B16", flipVec, 16+t, 16+t)
	}
	// Transpose 4×16 bytes: first pairs of taps, then fours.
	for i := range 2 {
		f.line("VZIP1 V%d.B16, V%d.B16, V%d.B16", 16+2*i+1, 16+2*i, 20+2*i)
		f.line("VZIP2 V%d.B16, V%d.B16, V%d.B16", 16+2*i+1, 16+2*i, 21+2*i)
	}
	for i := range 2 {
		f.line("VZIP1 V%d.H8, V%d.H8, V%d.H8", 22+i, 20+i, 16+2*i)
		f.line("VZIP2 V%d.H8, V%d.H8, V%d.H8", 22+i, 20+i, 17+2*i)
	}
	for g := range 4 {
		f.line("FMOVQ %d(R10), F%d", 64*g, 24+g)
		f.dot4(g, 24+g, 16+g)
	}
	f.line("ADD $%d, R10", groups)
	f.line("B taps")
	f.label("summed")
	for g := range 4 {
		f.emit(sub, g, g, 4+g)
		f.line("FMOVQ F%d, %d(R4)", g, 16*g)
	}
	f.line("ADD R8, R4")
	f.line("ADD R7, R1")
	f.line("B pixel")
	f.label("end")
	f.line("RET")
}

// Registers of outputs of sums: low, high and zero, and the sum of the row.
const (
	lowVec, highVec, zeroVec, rowVec = 28, 29, 30, 31
)

// store writes the loop over rows and columns of a tile of outputs: four columns at a time.
func store(f *file, name string, size int, put func(f *file)) {
	f.text("requant"+name+"NEON", "(t *requantTile)", 8)
	f.line("MOVD t+0(FP), R0")
	for i, field := range []string{"dst", "sums", "add", "mult", "ldd", "lds", "rows", "cols", "shift", "rowSums"} {
		f.line("MOVD %d(R0), R%d", requantType.Offset(field), 1+i) // R1 dst … R8 cols, R9 shift, R10 rowSums
	}
	for _, v := range []struct {
		field string
		reg   int
	}{{"low", lowVec}, {"high", highVec}, {"zero", zeroVec}} {
		f.line("FMOVS %d(R0), F%d", requantType.Offset(v.field), v.reg)
		f.splat(v.reg)
	}
	f.label("row")
	f.line("SUBS $1, R7")
	f.line("BLT end")
	f.line("CBZ R9, norow")
	f.line("FMOVS.P 4(R10), F%d", rowVec)
	f.splat(rowVec)
	f.label("norow")
	f.line("MOVD $0, R11") // the column, times four
	f.line("MOVD R1, R13")
	f.line("LSL $2, R8, R12")
	f.label("cols")
	f.line("SUBS $16, R12")
	f.line("BLT next")
	for i, r := range []int{2, 3} {
		f.line("ADD R%d, R11, R14", r)
		f.line("FMOVQ 0(R14), F%d", i)
	}
	f.emit(add, 0, 0, 1)
	f.line("CBZ R9, noshift")
	f.line("ADD R9, R11, R14")
	f.line("FMOVQ 0(R14), F1")
	f.emit(mul, 1, 1, rowVec)
	f.emit(sub, 0, 0, 1)
	f.label("noshift")
	put(f)
	f.line("ADD $16, R11")
	f.line("ADD $%d, R13", 4*size)
	f.line("B cols")
	f.label("next")
	f.line("ADD R5, R1")
	f.line("ADD R6, R2")
	f.line("B row")
	f.label("end")
	f.line("RET")
}

func storeInts(f *file) { f.line("FMOVQ F0, 0(R13)") }

func storeFloats(f *file) {
	scale(f)
	f.line("FMOVQ F0, 0(R13)")
}

func storeBytes(f *file) {
	scale(f)
	f.emit(fcmgt, 2, highVec, 0)
	f.emit(bsl, 2, 0, highVec)
	f.emit(fcvtns, 0, 2)
	f.emit(add, 0, 0, zeroVec)
	narrow(f, 0)
	f.line("FMOVS F0, 0(R13)")
}

// scale multiplies the sums with their factors. What is not more than low, also NaN, becomes low.
func scale(f *file) {
	f.line("ADD R4, R11, R14")
	f.line("FMOVQ 0(R14), F1")
	f.emit(scvtf, 0, 0)
	f.emit(fmul, 0, 0, 1)
	f.emit(fcmgt, 1, 0, lowVec)
	f.emit(bsl, 1, 0, lowVec)
	f.move(0, 1)
}

// narrow keeps the lowest byte of each lane, side by side.
func narrow(f *file, reg int) {
	f.word(0x0E612800|uint32(reg)<<5|uint32(reg), "XTN.4H V%d, V%d", reg, reg)
	f.word(0x0E212800|uint32(reg)<<5|uint32(reg), "XTN.8B V%d, V%d", reg, reg)
}

// quantize writes the loop of quantizeBytesGo, for a multiple of four elements.
func quantize(f *file) {
	f.text("quantizeBytesNEON", "(dst *byte, x *float32, n int, scale, low, high float32, zero int32)", 40)
	f.line("MOVD dst+0(FP), R0")
	f.line("MOVD x+8(FP), R1")
	f.line("MOVD n+16(FP), R2")
	for i, arg := range []string{"scale+24", "low+28", "high+32", "zero+36"} {
		f.line("FMOVS %s(FP), F%d", arg, 27+i)
		f.splat(27 + i)
	}
	f.label("four")
	f.line("SUBS $4, R2")
	f.line("BLT end")
	f.line("FMOVQ.P 16(R1), F0")
	f.emit(fdiv, 0, 0, 27)
	f.emit(fcmeq, 1, 0, 0)
	f.emit(and, 0, 0, 1)
	f.emit(fmax, 0, 0, lowVec)
	f.emit(fmin, 0, 0, highVec)
	f.emit(fcvtns, 0, 0)
	f.emit(add, 0, 0, zeroVec)
	narrow(f, 0)
	f.line("FMOVS.P F0, 4(R0)")
	f.line("B four")
	f.label("end")
	f.line("RET")
}

// dequantize writes the loop of dequantizeBytesGo, for a multiple of four elements.
func dequantize(f *file, name string, signed bool) {
	widen, by := uint32(0x2F00A400), "UXTL"
	if signed {
		widen, by = 0x0F00A400, "SXTL"
	}
	f.text("dequantize"+name+"NEON", "(dst *float32, x *byte, n int, scale float32, zero int32)", 32)
	f.line("MOVD dst+0(FP), R0")
	f.line("MOVD x+8(FP), R1")
	f.line("MOVD n+16(FP), R2")
	for i, arg := range []string{"scale+24", "zero+28"} {
		f.line("FMOVS %s(FP), F%d", arg, 30+i)
		f.splat(30 + i)
	}
	f.label("four")
	f.line("SUBS $4, R2")
	f.line("BLT end")
	f.line("FMOVS.P 4(R1), F0")
	f.word(widen|1<<19, "%s.8H V0, V0", by)
	f.word(widen|1<<20, "%s.4S V0, V0", by)
	f.emit(sub, 0, 0, 31)
	f.emit(scvtf, 0, 0)
	f.emit(fmul, 0, 0, 30)
	f.line("FMOVQ.P F0, 16(R0)")
	f.line("B four")
	f.label("end")
	f.line("RET")
}
