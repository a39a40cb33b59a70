package main

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

// fewBits writes the products with weights of 4 or 8 bits. A word holds several weights of a column, the first in its
// lowest bits, and four words fill a register.
func fewBits(f *file) {
	for _, bits := range []int{4, 8} {
		for _, rows := range []int{1, 2, 4, 6} {
			nbitsTile(f, bits, rows)
		}
		nbitsRow(f, bits)
		nbitsFloats(f, bits)
	}
}

var (
	nbitsTileType  = kernels.StructOf("nbitsTile")
	nbitsBlockType = kernels.StructOf("nbitsBlock")
	nbitsPanelType = kernels.StructOf("nbitsPanel")
)

// sshrBytes and shlBytes shift each byte by an immediate.
func sshrBytes(n uint32) opcode {
	return opcode{fmt.Sprintf("SSHR.16B $%d", n), 0x4F000400 | (16-n)<<16, 1, false}
}

func shlBytes(n uint32) opcode {
	return opcode{fmt.Sprintf("SHL.16B $%d", n), 0x4F005400 | (8+n)<<16, 1, false}
}

// nbitsTile writes the micro-kernel for some quantized rows and 8 columns: the sums of a block in V0…V11, the results in
// V12…V23, weights in V24…V27.
func nbitsTile(f *file, bits, rows int) {
	sum := func(r, j int) int { return 2*r + j }
	result := func(r, j int) int { return 12 + 2*r + j }
	x := func(r int) string { return fmt.Sprintf("R%d", 4+r) }
	f.text(fmt.Sprintf("nbits%dTile%dx8NEON", bits, rows), "(t *nbitsTile)", 8)
	f.line("MOVD t+0(FP), R0")
	for _, v := range []struct{ field, reg string }{
		{"w", "R1"}, {"scales", "R2"}, {"zeros", "R3"}, {"x", x(0)}, {"q", "R10"}, {"dst", "R11"},
		{"blocks", "R12"}, {"groups", "R13"}, {"ldq", "R15"}, {"ldx", "R19"},
	} {
		f.line("MOVD %d(R0), %s", nbitsTileType.Offset(v.field), v.reg)
	}
	for r := 1; r < rows; r++ {
		f.line("ADD R19, %s, %s", x(r-1), x(r))
	}
	for r := range rows {
		f.zero(result(r, 0), result(r, 1))
	}
	f.label("block")
	f.line("SUBS $1, R12")
	f.line("BLT end")
	for r := range rows {
		f.zero(sum(r, 0), sum(r, 1))
	}
	f.line("MOVD R13, R14")
	f.label("group")
	f.line("SUBS $1, R14")
	f.line("BLT summed")
	f.line("FLDPQ 0(R1), (F24, F25)")
	f.line("ADD $%d, R1", panelSize)
	if bits == 4 {
		for j := range 2 {
			f.emit(shlBytes(4), 26+j, 24+j)
			f.emit(sshrBytes(4), 26+j, 26+j)
			f.emit(sshrBytes(4), 24+j, 24+j)
		}
	}
	for r := range rows {
		if bits == 8 {
			f.line("FMOVS.P 4(%s), F28", x(r))
			f.dotLane(sum(r, 0), 24, 28, 0)
			f.dotLane(sum(r, 1), 25, 28, 0)
			continue
		}
		f.line("FMOVD.P 8(%s), F28", x(r))
		for lane, w := range []int{26, 24} { // the even weights, then the odd ones
			f.dotLane(sum(r, 0), w, 28, lane)
			f.dotLane(sum(r, 1), w+1, 28, lane)
		}
	}
	f.line("B group")
	f.label("summed")
	f.line("FLDPQ 0(R2), (F24, F25)")
	f.line("ADD $%d, R2", panelSize)
	f.zero(26, 27)
	f.line("CBZ R3, nozeros")
	f.line("FLDPQ 0(R3), (F26, F27)")
	f.line("ADD $%d, R3", panelSize)
	f.label("nozeros")
	f.line("MOVD R10, R20")
	for r := range rows {
		f.line("FMOVS %d(R20), F28", nbitsBlockType.Offset("step"))
		f.splat(28)
		f.line("FMOVS %d(R20), F29", nbitsBlockType.Offset("sum"))
		f.splat(29)
		for j := range 2 {
			f.emit(scvtf, sum(r, j), sum(r, j))
			f.emit(fmls, sum(r, j), 26+j, 29)
			f.emit(fmul, 30, 24+j, 28)
			f.emit(fmla, result(r, j), 30, sum(r, j))
		}
		if r+1 < rows {
			f.line("ADD R15, R20")
		}
	}
	f.line("ADD $%d, R10", nbitsBlockType.Size())
	f.line("B block")
	f.label("end")
	for r := range rows {
		f.line("FMOVQ F%d, %d(R11)", result(r, 0), panelSize*r)
		f.line("FMOVQ F%d, %d(R11)", result(r, 1), panelSize*r+16)
	}
	f.line("RET")
}

// weight converts the weights with number j of the words in a register to floats.
func (f *file) weight(d, words, bits, j int) {
	from := words
	if left := uint32(32 - bits*(j+1)); left > 0 {
		f.emit(shl(left), d, words)
		from = d
	}
	f.emit(sshr(uint32(32-bits)), d, from)
	f.emit(scvtf, d, d)
}

// nbitsRow writes the product of a row of floats with a panel, of 16 columns at a time: the sums of even and odd weights of
// a block in V0…V3 and V4…V7, results in V8…V11, words in V12…V15, x in V16 and V17.
func nbitsRow(f *file, bits int) {
	f.text(fmt.Sprintf("nbits%dRowNEON", bits), "(t *nbitsPanel)", 8)
	f.line("MOVD t+0(FP), R0")
	f.line("MOVD $0, R14") // the first column, times four
	f.label("half")
	for _, v := range []struct{ field, reg string }{
		{"w", "R1"}, {"scales", "R2"}, {"zeros", "R3"}, {"x", "R4"}, {"sums", "R5"}, {"dst", "R6"}, {"blocks", "R7"}, {"groups", "R8"},
	} {
		f.line("MOVD %d(R0), %s", nbitsPanelType.Offset(v.field), v.reg)
	}
	f.line("ADD R14, R1")
	f.line("ADD R14, R2")
	f.line("ADD R14, R6")
	f.zero(8, 9, 10, 11)
	f.label("block")
	f.line("SUBS $1, R7")
	f.line("BLT end")
	f.zero(0, 1, 2, 3, 4, 5, 6, 7)
	f.line("MOVD R8, R9")
	f.label("group")
	f.line("SUBS $1, R9")
	f.line("BLT summed")
	f.line("FLDPQ 0(R1), (F12, F13)")
	f.line("FLDPQ 32(R1), (F14, F15)")
	f.line("ADD $%d, R1", panelSize)
	for i := range 32 / bits / 4 {
		f.line("FMOVQ.P 16(R4), F%d", 16+i)
	}
	for j := range 32 / bits {
		for c := range 4 {
			f.weight(18+c, 12+c, bits, j)
			f.fmlaLane(4*(j%2)+c, 18+c, 16+j/4, j%4)
		}
	}
	f.line("B group")
	f.label("summed")
	for c := range 4 {
		f.emit(fadd, c, c, 4+c)
	}
	f.line("CBZ R3, nozeros")
	f.line("ADD R14, R3, R10")
	f.line("FMOVS.P 4(R5), F17")
	f.splat(17)
	for c := range 4 {
		f.line("FMOVQ %d(R10), F16", 16*c)
		f.emit(fmls, c, 16, 17)
	}
	f.line("ADD $%d, R3", panelSize)
	f.label("nozeros")
	for c := range 4 {
		f.line("FMOVQ %d(R2), F16", 16*c)
		f.emit(fmla, 8+c, 16, c)
	}
	f.line("ADD $%d, R2", panelSize)
	f.line("B block")
	f.label("end")
	for c := range 4 {
		f.line("FMOVQ F%d, %d(R6)", 8+c, 16*c)
	}
	f.line("ADD $%d, R14", panelSize/2)
	f.line("CMP $%d, R14", panelSize)
	f.line("BLT half")
	f.line("RET")
}

// nbitsFloats writes the conversion of groups of a block to rows of floats, four columns at a time.
func nbitsFloats(f *file, bits int) {
	f.text(fmt.Sprintf("nbits%dFloatsNEON", bits), "(t *nbitsPanel)", 8)
	f.line("MOVD t+0(FP), R0")
	f.line("MOVD $0, R14") // the first column, times four
	f.label("cols")
	for _, v := range []struct{ field, reg string }{{"w", "R1"}, {"scales", "R2"}, {"zeros", "R3"}, {"dst", "R6"}, {"groups", "R8"}} {
		f.line("MOVD %d(R0), %s", nbitsPanelType.Offset(v.field), v.reg)
	}
	f.line("ADD R14, R1")
	f.line("ADD R14, R6")
	f.line("ADD R14, R2")
	f.line("FMOVQ 0(R2), F2")
	f.zero(3)
	f.line("CBZ R3, group")
	f.line("ADD R14, R3")
	f.line("FMOVQ 0(R3), F3")
	f.label("group")
	f.line("SUBS $1, R8")
	f.line("BLT next")
	f.line("FMOVQ 0(R1), F0")
	f.line("ADD $%d, R1", panelSize)
	for j := range 32 / bits {
		f.weight(1, 0, bits, j)
		f.emit(fsub, 1, 1, 3)
		f.emit(fmul, 1, 1, 2)
		f.line("FMOVQ F1, 0(R6)")
		f.line("ADD $%d, R6", panelSize)
	}
	f.line("B group")
	f.label("next")
	f.line("ADD $16, R14")
	f.line("CMP $%d, R14", panelSize)
	f.line("BLT cols")
	f.line("RET")
}
