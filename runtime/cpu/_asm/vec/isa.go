package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// isa is an instruction set. Its methods return a new register and change no operand.
type isa interface {
	name() string
	lanes() int
	vec() VecVirtual
	half() VecVirtual

	add(a, b Register) Register
	sub(a, b Register) Register
	mul(a, b Register) Register
	div(a, b Register) Register
	max(a, b Register) Register // b if either is NaN
	min(a, b Register) Register // b if either is NaN
	sqrt(a Register) Register
	fma(a, b, c Register) Register  // a·b + c
	fnma(a, b, c Register) Register // c - a·b
	scale(a, n Register) Register   // a·2ⁿ, rounded once, for |n| ≤ 252
	and(a, b Register) Register
	or(a, b Register) Register
	addInt(a, b Register) Register
	subInt(a, b Register) Register
	shiftRight(a Register, n uint8) Register // keeps the sign
	toFloat(a Register) Register

	// pick is yes if the comparison of a with b is true, otherwise no.
	pick(c comparison, a, b, yes, no Register) Register

	// Pairs of neighboring lanes.
	swapPairs(a Register) Register
	evenToOdd(a Register) Register  // the even lane's content in the odd one, zero in the even one
	evens(a Register) Register      // the even lanes, in half a vector
	pairs(half Register) Register   // each lane of half a vector twice
	without(a, b Register) Register // the bits of a that b does not have

	choose(n, yes, no Register) Register // yes if the integer n is not 0, otherwise no

	// downFrom is a·2ⁿ for -126 ≤ n ≤ 0, which f returns for x, or zero if x is less than least, for which f returns any
	// numbers.
	downFrom(least, x Register, f func(x Register) (a, n Register)) Register

	splat(c Mem, v Register)        // v = a constant
	fmaWith(c Mem, a, acc Register) // acc = acc·a + c, a constant

	// tables prepares tables of 16 for a loop. In it, look returns what use returns for a function entry, which returns the
	// element of table i with the index in the low four bits of n. What use emits may be emitted twice.
	tables(ms []Mem) (look func(n Register, use func(entry func(i int) Register) Register) Register)

	into(a, b Register)              // b = a
	first(n Register) mask           // n lanes, at least one; all if n is larger
	noteNaN(a, note Register)        // sets bits of note where a is NaN
	anyBits(note Register) GPVirtual // not zero if note is not zero
}

// mask tells which lanes exist.
type mask interface {
	load(m Mem) Register // zero in lanes that do not exist
	store(v Register, m Mem)
	keep(v, other Register) Register // v, or other in lanes that do not exist
	loadHalf(m Mem) Register         // half a vector
	storeHalf(v Register, m Mem)
}

type comparison uint8

// The numbers of CMPPS for comparisons that do not signal.
const (
	equal           comparison = 0x00
	unordered       comparison = 0x03
	notLess         comparison = 0x15
	notGreaterEqual comparison = 0x19
	less            comparison = 0x11
	lessOrEqual     comparison = 0x12
)

type whole struct{ isa }

func (w whole) load(m Mem) Register {
	v := w.vec()
	VMOVUPS(m, v)
	return v
}
func (whole) store(v Register, m Mem)         { VMOVUPS(v, m) }
func (whole) keep(v, other Register) Register { return v }

func (w whole) loadHalf(m Mem) Register {
	v := w.half()
	VMOVUPS(m, v)
	return v
}
func (whole) storeHalf(v Register, m Mem) { VMOVUPS(v, m) }

// common is the instructions that both instruction sets have in common.
type common struct{ reg func() VecVirtual }

func (c common) vec() VecVirtual { return c.reg() }

func (c common) two(op func(...Op), a Register, b Op) Register {
	v := c.vec()
	op(b, a, v) // Go's order: the second operand first
	return v
}

func (c common) add(a, b Register) Register { return c.two(VADDPS, a, b) }
func (c common) sub(a, b Register) Register { return c.two(VSUBPS, a, b) }
func (c common) mul(a, b Register) Register { return c.two(VMULPS, a, b) }
func (c common) div(a, b Register) Register { return c.two(VDIVPS, a, b) }
func (c common) max(a, b Register) Register { return c.two(VMAXPS, a, b) }
func (c common) min(a, b Register) Register { return c.two(VMINPS, a, b) }
func (c common) and(a, b Register) Register { return c.two(VANDPS, a, b) }
func (c common) or(a, b Register) Register  { return c.two(VORPS, a, b) }
func (c common) addInt(a, b Register) Register {
	return c.two(VPADDD, a, b)
}
func (c common) subInt(a, b Register) Register {
	return c.two(VPSUBD, a, b)
}

func (c common) sqrt(a Register) Register {
	v := c.vec()
	VSQRTPS(a, v)
	return v
}

func (c common) toFloat(a Register) Register {
	v := c.vec()
	VCVTDQ2PS(a, v)
	return v
}

func (c common) shiftRight(a Register, n uint8) Register {
	v := c.vec()
	VPSRAD(U8(n), a, v)
	return v
}

func (c common) fma(a, b, z Register) Register {
	v := c.vec()
	VMOVAPS(z, v)
	VFMADD231PS(b, a, v)
	return v
}

func (c common) fnma(a, b, z Register) Register {
	v := c.vec()
	VMOVAPS(z, v)
	VFNMADD231PS(b, a, v)
	return v
}

func (common) into(a, b Register) { VMOVAPS(a, b) }

func (c common) swapPairs(a Register) Register {
	v := c.vec()
	VPERMILPS(U8(0xb1), a, v)
	return v
}

func (c common) evenToOdd(a Register) Register {
	v := c.vec()
	VPSLLQ(U8(32), a, v)
	return v
}

func (c common) without(a, b Register) Register { return c.two(VANDNPS, b, a) }

func (c common) pairs(half Register) Register {
	v := c.vec()
	VPMOVZXDQ(half, v)
	VPERMILPS(U8(0xa0), v, v)
	return v
}

type avx512 struct{ common }

func (avx512) half() VecVirtual { return YMM() }

func (v avx512) evens(a Register) Register {
	h := v.half()
	VPMOVQD(a, h)
	return h
}

func (avx512) name() string { return "AVX512" }
func (avx512) lanes() int   { return 16 }

func (v avx512) scale(a, n Register) Register { return v.two(VSCALEFPS, a, n) }

func (v avx512) pick(c comparison, a, b, yes, no Register) Register {
	k := K()
	VCMPPS(U8(c), b, a, k)
	return kmask{v, k}.keep(yes, no)
}

func (v avx512) choose(n, yes, no Register) Register {
	k := K()
	VPTESTMD(n, n, k)
	return kmask{v, k}.keep(yes, no)
}

func (v avx512) downFrom(least, x Register, f func(x Register) (a, n Register)) Register {
	a, n := f(x)
	y, k := v.vec(), K()
	VCMPPS(U8(notLess), least, x, k)
	VSCALEFPS_Z(n, a, k, y)
	return y
}

func (avx512) splat(c Mem, v Register)        { VBROADCASTSS(c, v) }
func (avx512) fmaWith(c Mem, a, acc Register) { VFMADD213PS_BCST(c, a, acc) }

func (v avx512) tables(ms []Mem) func(Register, func(func(int) Register) Register) Register {
	ts := make([]Register, len(ms))
	for i, m := range ms {
		ts[i] = v.vec()
		VMOVUPS(m, ts[i])
	}
	return func(n Register, use func(func(int) Register) Register) Register {
		return use(func(i int) Register { return v.two(VPERMPS, n, ts[i]) })
	}
}

func (v avx512) noteNaN(a, note Register) {
	k := K()
	VCMPPS(U8(unordered), a, a, k)
	VPTERNLOGD(U8(0xff), note, note, k, note)
}

func (avx512) anyBits(note Register) GPVirtual {
	k, r := K(), GP32()
	VPTESTMD(note, note, k)
	KMOVW(k, r)
	return r
}

func (v avx512) first(n Register) mask {
	bits, k := GP32(), K()
	MOVL(I32(-1), bits)
	BZHIL(n.(GPVirtual).As32(), bits, bits)
	KMOVW(bits, k)
	return kmask{v, k}
}

type kmask struct {
	avx512
	k Register
}

func (m kmask) load(x Mem) Register {
	v := m.vec()
	VMOVUPS_Z(x, m.k, v)
	return v
}

func (m kmask) store(v Register, x Mem) { VMOVUPS(v, m.k, x) }

func (m kmask) keep(v, other Register) Register {
	r := m.vec()
	VBLENDMPS(v, other, m.k, r)
	return r
}

func (m kmask) loadHalf(x Mem) Register {
	v := m.half()
	VMOVUPS_Z(x, m.k, v)
	return v
}

func (m kmask) storeHalf(v Register, x Mem) { VMOVUPS(v, m.k, x) }

type avx2 struct{ common }

func (avx2) half() VecVirtual { return XMM() }

// evens selects the even lanes of both halves, and then of both quarters.
func (v avx2) evens(a Register) Register {
	s, q := v.vec(), v.vec()
	VSHUFPS(U8(0x88), a, a, s)
	VPERMQ(U8(0x08), s, q)
	return q.AsX()
}

func (avx2) name() string { return "AVX2" }
func (avx2) lanes() int   { return 8 }

// scale multiplies twice, since 2ⁿ may not be a normal number. The first product is exact.
func (v avx2) scale(a, n Register) Register {
	i := v.vec()
	VCVTPS2DQ(n, i)
	half := v.shiftRight(i, 1)
	for _, e := range []Register{half, v.subInt(i, half)} {
		p := v.vec()
		VPADDD(constant(127), e, p)
		VPSLLD(U8(23), p, p)
		a = v.mul(a, p)
	}
	return a
}

// down is a·2ⁿ for -126 ≤ n ≤ 0.
func (v avx2) down(a, n Register) Register {
	p := v.vec()
	VCVTPS2DQ(n, p)
	VPADDD(constant(127), p, p)
	VPSLLD(U8(23), p, p)
	return v.mul(a, p)
}

func (v avx2) pick(c comparison, a, b, yes, no Register) Register {
	m := v.vec()
	VCMPPS(U8(c), b, a, m)
	return vmask{avx2: v, m: m}.keep(yes, no)
}

func (v avx2) choose(n, yes, no Register) Register {
	zero, m := v.vec(), v.vec()
	VXORPS(zero, zero, zero)
	VPCMPEQD(zero, n, m)
	return vmask{avx2: v, m: m}.keep(no, yes)
}

func (v avx2) downFrom(least, x Register, f func(x Register) (a, n Register)) Register {
	y, m := v.down(f(v.max(least, x))), v.vec()
	VCMPPS(U8(notLess), least, x, m)
	return v.and(y, m)
}

func (avx2) splat(c Mem, v Register)        { VMOVUPS(c, v) }
func (avx2) fmaWith(c Mem, a, acc Register) { VFMADD213PS(c, a, acc) }

// tables looks into both halves of the tables only if an index is in the upper one, which is rare where tables begin with the most
// frequent values.
func (v avx2) tables(ms []Mem) func(Register, func(func(int) Register) Register) Register {
	return func(n Register, use func(func(int) Register) Register) Register {
		high, found := v.vec(), v.vec()
		VPSLLD(U8(28), n, high) // the sign selects the half
		signs := v.anyBits(high)
		both, end := fmt.Sprint("both", labels), fmt.Sprint("found", labels)
		labels++
		lower := func(i int) Register { return v.two(VPERMPS, n, ms[i]) }
		TESTL(signs, signs)
		JNZ(LabelRef(both))
		v.into(use(lower), found)
		JMP(LabelRef(end))
		Label(both)
		v.into(use(func(i int) Register {
			return vmask{avx2: v, m: high}.keep(v.two(VPERMPS, n, ms[i].Offset(32)), lower(i))
		}), found)
		Label(end)
		return found
	}
}

func (v avx2) noteNaN(a, note Register) {
	m := v.vec()
	VCMPPS(U8(unordered), a, a, m)
	VORPS(m, note, note)
}

func (avx2) anyBits(note Register) GPVirtual {
	r := GP32()
	VMOVMSKPS(note, r)
	return r
}

// maskTable holds eight lanes of ones, then eight of zeros: n lanes before the middle begins a mask of n ones.
var maskTable Mem

func (v avx2) first(n Register) mask {
	table, lanes := GP64(), GP64()
	MOVQ(U32(8), lanes)
	CMPQ(n, lanes)
	CMOVQLT(n, lanes)
	SHLQ(U8(2), lanes)
	LEAQ(maskTable, table)
	SUBQ(lanes, table)
	m := v.vec()
	VMOVUPS(Mem{Base: table, Disp: 32}, m)
	return vmask{v, m, n}
}

// vmask is a mask of n lanes, fewer than all.
type vmask struct {
	avx2
	m, n Register
}

func (m vmask) load(x Mem) Register {
	v := m.vec()
	VMASKMOVPS(x, m.m, v)
	return v
}

// store writes four lanes, two and one, as the bits of n say: VMASKMOVPS takes 12 cycles or more on processors of AMD.
func (m vmask) store(v Register, x Mem) {
	part, to := XMM(), GP64()
	VMOVAPS(v.(VecVirtual).AsX(), part)
	LEAQ(x, to)
	m.storeIf(4, func() {
		VMOVUPS(part, Mem{Base: to})
		VEXTRACTF128(U8(1), v, part)
		ADDQ(U8(16), to)
	})
	m.storeBelow4(part, Mem{Base: to})
}

// storeBelow4 writes the lanes of the lowest two bits of n.
func (m vmask) storeBelow4(v Register, x Mem) {
	part, to := XMM(), GP64()
	VMOVAPS(v, part)
	LEAQ(x, to)
	m.storeIf(2, func() {
		VMOVQ(part, Mem{Base: to})
		VMOVHLPS(part, part, part)
		ADDQ(U8(8), to)
	})
	m.storeIf(1, func() { VMOVSS(part, Mem{Base: to}) })
}

// storeIf emits a part of a store, which is skipped if n does not have a bit.
func (m vmask) storeIf(bit uint32, store func()) {
	skip := fmt.Sprint("without", labels)
	labels++
	TESTQ(U32(bit), m.n)
	JZ(LabelRef(skip))
	store()
	Label(skip)
}

// labels counts labels, whose names must differ.
var labels int

func (m vmask) keep(v, other Register) Register {
	r := m.vec()
	VBLENDVPS(m.m, v, other, r)
	return r
}

func (m vmask) loadHalf(x Mem) Register {
	v := m.half()
	VMASKMOVPS(x, m.m.(VecVirtual).AsX(), v)
	return v
}

func (m vmask) storeHalf(v Register, x Mem) { m.storeBelow4(v, x) }
