package main

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

// products writes the micro-kernels: rows×16 elements of c in registers. They read four values of k of a's
// rows at a time.
func products(f *file) {
	for rows := 1; rows <= tileRows; rows++ {
		tile(f, rows)
	}
}

const tileRows = 5

var tileType = kernels.StructOf("gemmTile")

// Offsets of gemmTile's fields.
var (
	offA     = tileType.Offset("a")
	offB     = tileType.Offset("b")
	offC     = tileType.Offset("c")
	offBias  = tileType.Offset("bias")
	offRes   = tileType.Offset("res")
	offLDA   = tileType.Offset("lda")
	offLDB   = tileType.Offset("ldb")
	offLDC   = tileType.Offset("ldc")
	offK     = tileType.Offset("k")
	offFlags = tileType.Offset("flags")
)

// Registers: sums in V0…V19 (four for each row), a in V20…V24, b in V25…V28.
func acc(r, j int) int  { return 4*r + j }
func aVec(r int) int    { return 20 + r }
func bVec(j int) int    { return 25 + j }
func aPtr(r int) string { return fmt.Sprintf("R%d", 4+r) }

const (
	tReg, bPtr, ldbReg, kReg, cPtr, ldcReg, flagReg, xReg = "R0", "R1", "R2", "R3", "R9", "R10", "R11", "R12"
)

func tile(f *file, rows int) {
	f.text(fmt.Sprintf("tile%dx16NEON", rows), "(t *gemmTile)", 8)
	f.line("MOVD t+0(FP), %s", tReg)
	f.line("MOVD %d(%s), %s", offB, tReg, bPtr)
	f.line("MOVD %d(%s), %s", offLDB, tReg, ldbReg)
	f.line("LSL $2, %s", ldbReg)
	f.line("MOVD %d(%s), %s", offC, tReg, cPtr)
	f.line("MOVD %d(%s), %s", offLDC, tReg, ldcReg)
	f.line("LSL $2, %s", ldcReg)
	f.line("MOVD %d(%s), %s", offFlags, tReg, flagReg)
	rowPointers(f, rows)
	begin(f, rows)
	inner(f, rows)
	epilogue(f, rows)
	f.line("RET")
}

func rowPointers(f *file, rows int) {
	f.line("MOVD %d(%s), %s", offA, tReg, aPtr(0))
	f.line("MOVD %d(%s), %s", offLDA, tReg, xReg)
	f.line("LSL $2, %s", xReg)
	for r := 1; r < rows; r++ {
		f.line("ADD %s, %s, %s", xReg, aPtr(r-1), aPtr(r))
	}
}

// eachRow visits the rows of a matrix like c with a pointer to each.
func eachRow(f *file, rows int, visit func(r int, ptr string)) {
	for r := range rows {
		visit(r, xReg)
		if r+1 < rows {
			f.line("ADD %s, %s", ldcReg, xReg)
		}
	}
}

// begin sets the sums to zero, or to the elements of c.
func begin(f *file, rows int) {
	f.line("TBNZ $0, %s, more", flagReg)
	for i := range 4 * rows {
		f.line("VEOR V%d.B16, V%d.B16, V%d.B16", i, i, i)
	}
	f.line("B start")
	f.label("more")
	f.line("MOVD %s, %s", cPtr, xReg)
	eachRow(f, rows, func(r int, ptr string) {
		for j := range 4 {
			f.line("FMOVQ %d(%s), F%d", 16*j, ptr, acc(r, j))
		}
	})
	f.label("start")
}

// inner adds the products, in the order of k for every element.
func inner(f *file, rows int) {
	f.line("MOVD %d(%s), %s", offK, tReg, kReg)
	f.label("four")
	f.line("SUBS $4, %s", kReg)
	f.line("BLT rest")
	for r := range rows {
		f.line("FMOVQ.P 16(%s), F%d", aPtr(r), aVec(r))
	}
	for l := range 4 {
		step(f, rows, l)
	}
	f.line("B four")
	f.label("rest")
	f.line("ADD $4, %s", kReg)
	f.label("one")
	f.line("SUBS $1, %s", kReg)
	f.line("BLT end")
	for r := range rows {
		f.line("FMOVS.P 4(%s), F%d", aPtr(r), aVec(r))
	}
	step(f, rows, 0)
	f.line("B one")
	f.label("end")
}

// step adds the products of one k, which is the given lane of the registers with a.
func step(f *file, rows, lane int) {
	for j := 0; j < 4; j += 2 {
		f.line("FLDPQ %d(%s), (F%d, F%d)", 16*j, bPtr, bVec(j), bVec(j+1))
	}
	f.line("ADD %s, %s", ldbReg, bPtr)
	for j := range 4 {
		for r := range rows {
			f.fmlaLane(acc(r, j), bVec(j), aVec(r), lane)
		}
	}
}

// epilogue adds bias and residual, clamps, and stores.
func epilogue(f *file, rows int) {
	f.line("TBZ $1, %s, nobias", flagReg)
	f.line("MOVD %d(%s), %s", offBias, tReg, xReg)
	for j := range 4 {
		f.line("FMOVQ %d(%s), F%d", 16*j, xReg, bVec(j))
		for r := range rows {
			f.emit(fadd, acc(r, j), acc(r, j), bVec(j))
		}
	}
	f.label("nobias")
	f.line("TBZ $2, %s, nores", flagReg)
	f.line("MOVD %d(%s), %s", offRes, tReg, xReg)
	eachRow(f, rows, func(r int, ptr string) {
		for j := range 4 {
			f.line("FMOVQ %d(%s), F%d", 16*j, ptr, bVec(j))
			f.emit(fadd, acc(r, j), acc(r, j), bVec(j))
		}
	})
	f.label("nores")
	f.line("TBZ $3, %s, norelu", flagReg)
	f.line("VEOR V25.B16, V25.B16, V25.B16")
	for i := range 4 * rows {
		f.emit(fmax, i, i, 25)
	}
	f.label("norelu")
	f.line("MOVD %s, %s", cPtr, xReg)
	eachRow(f, rows, func(r int, ptr string) {
		for j := range 4 {
			f.line("FMOVQ F%d, %d(%s)", acc(r, j), 16*j, ptr)
		}
	})
}
