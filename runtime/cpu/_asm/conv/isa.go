package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// isa is the differences of the two instruction sets.
type isa interface {
	name() string
	lanes() int
	vec() VecVirtual
	zero(v Register)

	// larger sets acc to the larger of acc and x, NaN if one of them is.
	larger(x Mem, acc Register)

	// mixer returns a function that computes vector v of the interleaved elements of k rows, from a vector of
	// each row.
	mixer(k int) func(v int, rows []VecVirtual) VecVirtual

	// first returns a mask of n lanes, fewer than all.
	first(n GPVirtual) mask
}

// mask is a register that tells which lanes exist.
type mask interface {
	load(m Mem, v Register)
	store(v Register, m Mem)
}

func load(m Mem, v Register)          { VMOVUPS(m, v) }
func store(v Register, m Mem)         { VMOVUPS(v, m) }
func broadcast(m Mem, v Register)     { VBROADCASTSS(m, v) }
func fma(x Mem, w, acc Register)      { VFMADD231PS(x, w, acc) }
func add(x Op, acc Register)          { VADDPS(x, acc, acc) }
func div(by, v Register)              { VDIVPS(by, v, v) }
func atLeast(low, v Register)         { VMAXPS(v, low, v) } // v where it is NaN
func atMost(high, v Register)         { VMINPS(v, high, v) }
func bytes(floats GPVirtual)          { SHLQ(U8(2), floats) }
func plus(base Register, off int) Mem { return Mem{Base: base, Disp: off} }

type avx512 struct{}

func (avx512) name() string    { return "AVX512" }
func (avx512) lanes() int      { return 16 }
func (avx512) vec() VecVirtual { return ZMM() }
func (avx512) zero(v Register) { VPXORD(v, v, v) }

func (avx512) larger(x Mem, acc Register) {
	nan, top := K(), ZMM()
	VCMPPS(U8(3), acc, acc, nan)
	VMAXPS(x, acc, top) // x where one is NaN
	VBLENDMPS(acc, top, nan, acc)
}

func (avx512) first(n GPVirtual) mask {
	bits, k := GP32(), K()
	XORL(bits, bits)
	DECL(bits)
	BZHIL(n.As32(), bits, bits)
	KMOVW(bits, k)
	return kmask{k}
}

type kmask struct{ k Register }

func (m kmask) load(x Mem, v Register)  { VMOVUPS_Z(x, m.k, v) }
func (m kmask) store(v Register, x Mem) { VMOVUPS(v, m.k, x) }

type avx2 struct{}

func (avx2) name() string    { return "AVX2" }
func (avx2) lanes() int      { return 8 }
func (avx2) vec() VecVirtual { return YMM() }
func (avx2) zero(v Register) { VXORPS(v, v, v) }

func (avx2) larger(x Mem, acc Register) {
	nan, top := YMM(), YMM()
	VCMPPS(U8(3), acc, acc, nan)
	VMAXPS(x, acc, top)
	VBLENDVPS(nan, acc, top, acc)
}

func (avx2) first(n GPVirtual) mask {
	at, table, v := GP64(), GP64(), YMM()
	LEAQ(maskTable, table)
	MOVQ(n, at)
	SHLQ(U8(2), at)
	SUBQ(at, table)
	VMOVDQU(plus(table, 32), v)
	return vmask{v}
}

type vmask struct{ v Register }

func (m vmask) load(x Mem, v Register)  { VMASKMOVPS(x, m.v, v) }
func (m vmask) store(v Register, x Mem) { VMASKMOVPS(v, m.v, x) }

// maskTable holds eight lanes of ones, then eight of zeros: n lanes before the middle begins a mask of n ones.
var maskTable Mem

func masks() {
	maskTable = GLOBL("convMasks", RODATA|NOPTR)
	for i := range 16 {
		x := U32(0)
		if i < 8 {
			x = ^x
		}
		DATA(4*i, x)
	}
}
