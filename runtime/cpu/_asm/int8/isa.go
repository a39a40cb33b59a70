package main

import (
	"fmt"

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
	ones(v Register)          // sets all bits
	clearNaN(x Register)      // makes x zero where it is NaN
	anyAtLeast(x, y Register) // clears the zero flag if any lane of x is at least that of y
	tail(n Register) lanes    // the first n lanes, fewer than all
}

// lanes is the existing lanes of a vector.
type lanes interface {
	load(m Mem, v Register)
	store(v Register, m Mem)
	loadBytes(m Mem, v Register, signed bool) // each becomes a 32-bit integer
	storeBytes(v Register, m Mem)             // the lowest of each lane
}

// widen converts bytes to 32-bit integers.
func widen(bytes Op, v Register, signed bool) {
	if signed {
		VPMOVSXBD(bytes, v)
	} else {
		VPMOVZXBD(bytes, v)
	}
}

// all is a vector with all lanes.
type all struct{ isa }

func (all) load(m Mem, v Register)                   { VMOVUPS(m, v) }
func (all) store(v Register, m Mem)                  { VMOVUPS(v, m) }
func (all) loadBytes(m Mem, v Register, signed bool) { widen(m, v, signed) }
func (a all) storeBytes(v Register, m Mem) {
	if a.lanes() == 16 {
		VPMOVDB(v, m)
	} else {
		MOVQ(lowBytes(v), m)
	}
}

type avx512 struct{}

func (avx512) name() string    { return "AVX512" }
func (avx512) lanes() int      { return 16 }
func (avx512) vec() VecVirtual { return ZMM() }
func (avx512) zero(v Register) { VPXORD(v, v, v) }
func (avx512) ones(v Register) { VPTERNLOGD(U8(0xff), v, v, v) }
func (avx512) anyAtLeast(x, y Register) {
	k := K()
	VCMPPS(U8(13), y, x, k)
	KORTESTW(k, k)
}
func (avx512) clearNaN(x Register) {
	k := K()
	VCMPPS(U8(7), x, x, k) // ordered
	VMOVAPS_Z(x, k, x)
}
func (avx512) tail(n Register) lanes {
	bits, k := GP32(), K()
	MOVL(I32(-1), bits)
	BZHIL(n.(GPVirtual).As32(), bits, bits)
	KMOVW(bits, k)
	return kmask{k}
}

type kmask struct{ k Register }

func (m kmask) load(x Mem, v Register)       { VMOVUPS_Z(x, m.k, v) }
func (m kmask) store(v Register, x Mem)      { VMOVUPS(v, m.k, x) }
func (m kmask) storeBytes(v Register, x Mem) { VPMOVDB(v, m.k, x) }
func (m kmask) loadBytes(x Mem, v Register, signed bool) {
	b := XMM()
	VMOVDQU8_Z(x, m.k, b)
	widen(b, v, signed)
}

type avx2 struct{}

func (avx2) name() string    { return "AVX2" }
func (avx2) lanes() int      { return 8 }
func (avx2) vec() VecVirtual { return YMM() }
func (avx2) zero(v Register) { VPXOR(v, v, v) }
func (avx2) ones(v Register) { VPCMPEQD(v, v, v) }
func (avx2) anyAtLeast(x, y Register) {
	above, bits := YMM(), GP32()
	VCMPPS(U8(13), y, x, above)
	VMOVMSKPS(above, bits)
	TESTL(bits, bits)
}
func (avx2) clearNaN(x Register) {
	tmp := YMM()
	VCMPPS(U8(7), x, x, tmp) // ordered
	VANDPS(tmp, x, x)
}

// lowBytes returns the lowest bytes of the lanes, in a general register.
func lowBytes(v Register) GPVirtual {
	x, high := YMM(), XMM()
	VPAND(lowByte, v, x)
	VPACKUSDW(x, x, x)
	VPACKUSWB(x, x, x) // four bytes in each half
	VEXTRACTI128(U8(1), x, high)
	VPUNPCKLDQ(high, x.AsX(), x.AsX())
	r := GP64()
	VMOVQ(x.AsX(), r)
	return r
}

func (avx2) tail(n Register) lanes {
	table, bytes := GP64(), GP64()
	LEAQ(maskTable, table)
	MOVQ(n, bytes)
	SHLQ(U8(2), bytes)
	SUBQ(bytes, table)
	v := YMM()
	VMOVDQU(Mem{Base: table, Disp: 32}, v)
	return vmask{v, n}
}

type vmask struct{ v, n Register }

func (m vmask) load(x Mem, v Register)  { VMASKMOVPS(x, m.v, v) }
func (m vmask) store(v Register, x Mem) { VMASKMOVPS(v, m.v, x) }

// storeBytes and loadBytes go byte by byte.
func (m vmask) storeBytes(v Register, x Mem) {
	bytes, p, n := lowBytes(v), GP64(), GP64()
	LEAQ(x, p)
	MOVQ(m.n, n)
	again := label("store")
	Label(again)
	MOVB(bytes.As8(), Mem{Base: p})
	SHRQ(U8(8), bytes)
	INCQ(p)
	DECQ(n)
	JNZ(LabelRef(again))
}

func (m vmask) loadBytes(x Mem, v Register, signed bool) {
	bytes, one, p, n := GP64(), GP64(), GP64(), GP64()
	LEAQ(x, p)
	MOVQ(m.n, n)
	ADDQ(n, p)
	XORQ(bytes, bytes)
	again := label("load")
	Label(again)
	DECQ(p)
	SHLQ(U8(8), bytes)
	MOVBQZX(Mem{Base: p}, one)
	ORQ(one, bytes)
	DECQ(n)
	JNZ(LabelRef(again))
	b := XMM()
	VMOVQ(bytes, b)
	widen(b, v, signed)
}

// tables are the tables of [avx2]: eight lanes of ones, then eight of zeros, and the lowest byte of each
// lane.
func tables() {
	maskTable = GLOBL("byteMasks", RODATA|NOPTR)
	for i := range 16 {
		x := U32(0)
		if i < 8 {
			x = ^x
		}
		DATA(4*i, x)
	}
	lowByte = GLOBL("byteLow", RODATA|NOPTR)
	for i := range 8 {
		DATA(4*i, U32(0xff))
	}
}

var maskTable, lowByte Mem

// label returns a label that is unique in the package.
func label(what string) string {
	labels++
	return fmt.Sprint(what, labels)
}

var labels int
