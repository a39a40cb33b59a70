package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

type avx512 struct{}

func (avx512) name() string                { return "AVX512" }
func (avx512) lanes() int                  { return 16 }
func (avx512) registers() int              { return 32 }
func (avx512) register(i int) Register     { return LookupPhysical(KindVector, Index(i), S512) }
func (avx512) vec() VecVirtual             { return ZMM() }
func (avx512) load(m Mem, v Register)      { VMOVUPS(m, v) }
func (avx512) store(v Register, m Mem)     { VMOVUPS(v, m) }
func (avx512) broadcast(m Mem, v Register) { VBROADCASTSS(m, v) }
func (avx512) fma(b Op, a, acc Register)   { VFMADD231PS(b, a, acc) }
func (avx512) fmaOne(x Mem, b, acc Register) bool {
	VFMADD231PS_BCST(x, b, acc)
	return true
}
func (avx512) zero(v Register)       { VPXORD(v, v, v) }
func (avx512) add(x Op, v Register)  { VADDPS(x, v, v) }
func (avx512) relu(v, zero Register) { VMAXPS(v, zero, v) }

func (avx512) columns(cols, tmp Register, j int) mask { return columnsOf(cols, tmp, j, 16) }

func columnsOf(cols, tmp Register, j, lanes int) mask {
	shift(cols, tmp, j, lanes)
	bits := GP32()
	XORL(bits, bits)
	DECL(bits)
	BZHIL(tmp.(GPVirtual).As32(), bits, bits)
	k := K()
	KMOVW(bits, k)
	return kmask{k}
}

// shift sets tmp to the number of existing columns from vector j on, between 0 and lanes.
func shift(cols, tmp Register, j, lanes int) {
	full, zero := GP64(), GP64()
	MOVQ(cols, tmp)
	SUBQ(U32(j*lanes), tmp)
	XORQ(zero, zero)
	TESTQ(tmp, tmp)
	CMOVQLT(zero, tmp)
	MOVQ(U32(lanes), full)
	CMPQ(tmp, full)
	CMOVQGT(full, tmp)
}

type kmask struct{ k Register }

func (m kmask) load(x Mem, v Register)  { VMOVUPS_Z(x, m.k, v) }
func (m kmask) store(v Register, x Mem) { VMOVUPS(v, m.k, x) }

// avx512Half is AVX-512 with vectors of 8 floats, for panels that have no more columns: some processors compute 16 in two
// halves.
type avx512Half struct{ avx512 }

func (avx512Half) lanes() int              { return 8 }
func (avx512Half) vec() VecVirtual         { return YMM() }
func (avx512Half) register(i int) Register { return LookupPhysical(KindVector, Index(i), S256) }
func (avx512Half) zero(v Register)         { VXORPS(v, v, v) }

func (avx512Half) columns(cols, tmp Register, j int) mask { return columnsOf(cols, tmp, j, 8) }

type avx2 struct{}

func (avx2) name() string                        { return "AVX2" }
func (avx2) lanes() int                          { return 8 }
func (avx2) registers() int                      { return 16 }
func (avx2) register(i int) Register             { return LookupPhysical(KindVector, Index(i), S256) }
func (avx2) vec() VecVirtual                     { return YMM() }
func (avx2) load(m Mem, v Register)              { VMOVUPS(m, v) }
func (avx2) store(v Register, m Mem)             { VMOVUPS(v, m) }
func (avx2) broadcast(m Mem, v Register)         { VBROADCASTSS(m, v) }
func (avx2) fma(b Op, a, acc Register)           { VFMADD231PS(b, a, acc) }
func (avx2) fmaOne(Mem, Register, Register) bool { return false }
func (avx2) zero(v Register)                     { VXORPS(v, v, v) }
func (avx2) add(x Op, v Register)                { VADDPS(x, v, v) }
func (avx2) relu(v, zero Register)               { VMAXPS(v, zero, v) }

func (avx2) columns(cols, tmp Register, j int) mask {
	shift(cols, tmp, j, 8)
	table := GP64()
	LEAQ(maskTable, table)
	SHLQ(U8(2), tmp)
	SUBQ(tmp, table)
	v := YMM()
	VMOVDQU(Mem{Base: table, Disp: 32}, v)
	return vmask{v, tmp}
}

// vmask is the mask of the first lanes of a vector, and four times their number.
type vmask struct{ v, bytes Register }

func (m vmask) load(x Mem, v Register) { VMASKMOVPS(x, m.v, v) }

// store writes parts of 8, 4, 2 and 1 lanes, and overwrites v: stores with a mask are many times slower on
// some processors.
func (m vmask) store(v Register, x Mem) {
	stores++
	label := func(lanes int) string { return fmt.Sprintf("store%dLanes%d", stores, lanes) }
	low, at := v.(Vec).AsX(), GP64()
	LEAQ(x, at)
	for lanes := 8; lanes > 0; lanes /= 2 {
		TESTQ(U32(4*lanes), m.bytes)
		JZ(LabelRef(label(lanes)))
		switch lanes {
		case 8:
			VMOVUPS(v, Mem{Base: at})
		case 4:
			VMOVUPS(low, Mem{Base: at})
			VEXTRACTF128(U8(1), v, low)
		case 2:
			VMOVQ(low, Mem{Base: at})
			VMOVHLPS(low, low, low)
		case 1:
			VMOVSS(low, Mem{Base: at})
		}
		if lanes == 4 || lanes == 2 {
			ADDQ(U8(4*lanes), at)
		}
		Label(label(lanes))
	}
}

// stores is the number of emitted stores, for their labels.
var stores int

// maskTable holds eight lanes of ones, then eight of zeros: n lanes before the middle begins a mask of n ones.
var maskTable Mem

func masks() {
	maskTable = GLOBL("tileMasks", RODATA|NOPTR)
	for i := range 16 {
		x := U32(0)
		if i < 8 {
			x = ^x
		}
		DATA(4*i, x)
	}
}

// transpose emits that of 8×8 floats at a time.
func transpose() {
	TEXT("transposeAVX2", NOSPLIT, "func(dst, src *float32, ldd, lds, n int)")
	Doc("transposeAVX2 transposes 8 rows of 8·n floats, for n > 0; ldd and lds are the distances from row to row.")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	ldd, lds := Load(Param("ldd"), GP64()), Load(Param("lds"), GP64())
	n := Load(Param("n"), GP64())
	SHLQ(U8(2), ldd)
	SHLQ(U8(2), lds)
	from, to := eight(src, lds), eight(dst, ldd)
	Label("block")
	// Rows r and r+4 are loaded into the halves of one register; then each half is transposed as 4×4.
	for half := range 2 {
		var r [4]VecVirtual
		for i := range r {
			r[i] = YMM()
			VMOVUPS(from(i).Offset(16*half), r[i].AsX())
			VINSERTF128(U8(1), from(i+4).Offset(16*half), r[i], r[i])
		}
		t0, t1, t2, t3 := YMM(), YMM(), YMM(), YMM()
		VUNPCKLPS(r[1], r[0], t0) // 00 10 01 11
		VUNPCKHPS(r[1], r[0], t1) // 02 12 03 13
		VUNPCKLPS(r[3], r[2], t2)
		VUNPCKHPS(r[3], r[2], t3)
		for c, s := range [4][2]VecVirtual{{t0, t2}, {t0, t2}, {t1, t3}, {t1, t3}} {
			y := YMM()
			if c%2 == 0 {
				VUNPCKLPD(s[1], s[0], y)
			} else {
				VUNPCKHPD(s[1], s[0], y)
			}
			VMOVUPS(y, to(half*4+c))
		}
	}
	ADDQ(U8(32), src)
	LEAQ(Mem{Base: dst, Index: ldd, Scale: 8}, dst)
	DECQ(n)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// eight returns the address of each of 8 rows that are step apart from at on, also after at advanced.
func eight(at, step Register) func(i int) Mem {
	step3, step5, step7 := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, step3)
	LEAQ(Mem{Base: step, Index: step, Scale: 4}, step5)
	LEAQ(Mem{Base: step3, Index: step, Scale: 4}, step7)
	return func(i int) Mem {
		switch i {
		case 0:
			return Mem{Base: at}
		case 3:
			return Mem{Base: at, Index: step3, Scale: 1}
		case 5:
			return Mem{Base: at, Index: step5, Scale: 1}
		case 6:
			return Mem{Base: at, Index: step3, Scale: 2}
		case 7:
			return Mem{Base: at, Index: step7, Scale: 1}
		}
		return Mem{Base: at, Index: step, Scale: uint8(i)} // 1, 2 or 4
	}
}

// packPanel emits the copying of k > 0 rows of 32 floats.
func packPanel() {
	TEXT("packPanelAVX2", NOSPLIT, "func(dst, b *float32, k, ldb int)")
	dst, b := Load(Param("dst"), GP64()), Load(Param("b"), GP64())
	k, ldb := Load(Param("k"), GP64()), Load(Param("ldb"), GP64())
	SHLQ(U8(2), ldb)
	ahead := GP64()
	LEAQ(Mem{Base: b, Index: ldb, Scale: 8}, ahead)
	Label("loop")
	PREFETCHT0(Mem{Base: ahead})
	PREFETCHT0(Mem{Base: ahead, Disp: 64})
	var v [4]VecVirtual
	for i := range v {
		v[i] = YMM()
		VMOVUPS(Mem{Base: b, Disp: 32 * i}, v[i])
	}
	for i := range v {
		VMOVUPS(v[i], Mem{Base: dst, Disp: 32 * i})
	}
	ADDQ(ldb, b)
	ADDQ(ldb, ahead)
	ADDQ(U32(128), dst)
	DECQ(k)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
