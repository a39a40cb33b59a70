package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// row emits the conversion of a row of the left operand of tiles: 32 floats at a time.
func row(v isa, round func(Register) Register) {
	TEXT("rowBF16"+v.name, NOSPLIT, "func(dst *uint16, x *float32, steps, ldd int)")
	Doc("rowBF16AVX512 rounds 32 floats of x at a time. They are ldd bytes apart in dst.")
	dst, x := Load(Param("dst"), GP64()), Load(Param("x"), GP64())
	steps, ldd := Load(Param("steps"), GP64()), Load(Param("ldd"), GP64())
	Label("loop")
	for half := range 2 {
		y := v.vec()
		VMOVUPS(Mem{Base: x, Disp: 64 * half}, y)
		v.pack(round(y), Mem{Base: dst, Disp: 32 * half})
	}
	ADDQ(U32(128), x)
	ADDQ(ldd, dst)
	DECQ(steps)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// pairs emits the conversion of a panel of the right operand of tiles: two rows of 32 floats at a time.
func pairs(v isa, round func(Register) Register) {
	TEXT("pairsBF16"+v.name, NOSPLIT, "func(dst *uint16, b *float32, pairs, ldb int)")
	Doc("pairsBF16AVX512 rounds pairs of rows of 32 floats, which are ldb bytes apart. The elements of two rows alternate",
		"in dst, which holds the left 16 columns of 16 pairs, and then their right ones.")
	pairLoop(func(row Register, half int) Register {
		x := v.vec()
		VMOVUPS(Mem{Base: row, Disp: 64 * half}, x)
		return round(x)
	})
}

// pairHalves emits the same for rows in bfloat16.
func pairHalves(v isa) {
	TEXT("pairHalves"+v.name, NOSPLIT, "func(dst, b *uint16, pairs, ldb int)")
	Doc("pairHalvesAVX512 is pairsBF16AVX512 for rows of 32 floats in bfloat16.")
	pairLoop(func(row Register, half int) Register {
		x := v.vec()
		VPMOVZXWD(Mem{Base: row, Disp: 32 * half}, x)
		return x
	})
}

// pairLoop emits the loop over pairs of rows. The function load loads half of a row as bfloat16 in lanes of 32 bits.
func pairLoop(load func(row Register, half int) Register) {
	dst, b := Load(Param("dst"), GP64()), Load(Param("b"), GP64())
	pairs, ldb := Load(Param("pairs"), GP64()), Load(Param("ldb"), GP64())
	next, in := GP64(), GP64()
	LEAQ(Mem{Base: b, Index: ldb, Scale: 1}, next)
	SHLQ(U8(1), ldb)
	Label("block")
	MOVQ(U32(16), in)
	Label("loop")
	for half := range 2 {
		l, h := load(b, half), load(next, half)
		VPSLLD(U8(16), h, h)
		VORPS(l, h, h)
		VMOVUPS(h, Mem{Base: dst, Disp: 1024 * half})
	}
	ADDQ(ldb, b)
	ADDQ(ldb, next)
	ADDQ(U8(64), dst)
	DECQ(pairs)
	JZ(LabelRef("done"))
	DECQ(in)
	JNZ(LabelRef("loop"))
	ADDQ(U32(1024), dst)
	JMP(LabelRef("block"))
	Label("done")
	VZEROUPPER()
	RET()
}
