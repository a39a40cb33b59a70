// Command codec writes codec_amd64.s: the kernels of codecs and of norms, for whole vectors only.
package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

func main() {
	kernels.Begin()
	for _, v := range []isa{
		{"AVX512", 16, func() VecVirtual { return ZMM() }, func() VecVirtual { return YMM() }},
		{"AVX2", 8, func() VecVirtual { return YMM() }, func() VecVirtual { return XMM() }},
	} {
		v.sum("sumSquares", "the sum of squares", func(x, sum VecVirtual) { VFMADD231PD(x, x, sum) })
		v.sum("sumAbs", "the sum of absolute values", func(x, sum VecVirtual) {
			v.and(v.constant("withoutSign64"), x)
			VADDPD(x, sum, sum)
		})
		v.maxAbs()
		v.takeSigns()
		v.putSigns()
		v.fixedPoint()
	}
	packNibbles()
	unpackNibbles()
	Generate()
}

// isa is an instruction set, with the number of float32 lanes of a register.
type isa struct {
	name  string
	lanes int
	vec   func() VecVirtual
	half  func() VecVirtual // a register with half of the lanes
}

var constants = map[string]Mem{}

// constant returns a vector that all lanes of x are combined with.
func (v isa) constant(name string) Mem {
	if m, ok := constants[name]; ok {
		return m
	}
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 16 {
		switch name {
		case "withoutSign64":
			DATA(4*i, U32([...]uint32{math.MaxUint32, math.MaxInt32}[i%2]))
		case "withoutSign":
			DATA(4*i, U32(math.MaxInt32))
		case "onlySign":
			DATA(4*i, U32(1<<31))
		case "eachBit":
			DATA(4*i, U32(1<<(i%8)))
		}
	}
	constants[name] = m
	return m
}

func (v isa) and(m Op, x VecVirtual) {
	if v.lanes == 16 {
		VPANDD(m, x, x)
	} else {
		VPAND(m, x, x)
	}
}

func (v isa) xor(m Op, x, to VecVirtual) {
	if v.lanes == 16 {
		VPXORD(m, x, to)
	} else {
		VPXOR(m, x, to)
	}
}

// load loads a vector of integers or bits.
func (v isa) load(m Op, to VecVirtual) {
	if v.lanes == 16 {
		VMOVDQU32(m, to)
	} else {
		VMOVDQU(m, to)
	}
}

func (v isa) store(x VecVirtual, m Op) {
	if v.lanes == 16 {
		VMOVDQU32(x, m)
	} else {
		VMOVDQU(x, m)
	}
}

// broadcast loads the parameter scale into all lanes.
func (v isa) broadcast(offset int) VecVirtual {
	s := v.vec()
	VBROADCASTSS(NewParamAddr("scale", offset), s)
	return s
}

// sums is how many independent sums a kernel has.
const sums = 4

// sum emits sum += term(x), in float64.
func (v isa) sum(name, what string, term func(x, sum VecVirtual)) {
	kernels.AtLevel(name, v.name, "func(sum *[8]float64, x *float32, n int)")
	Doc(name + v.name + " writes the lanes of " + what + " of the n elements at x, a multiple of 32.")
	sum, x := Load(Param("sum"), GP64()), Load(Param("x"), GP64())
	var s [sums]VecVirtual
	for k := range s {
		s[k] = v.vec()
		v.xor(s[k], s[k], s[k])
	}
	loop(v.lanes/2*sums, func(i Register) {
		for k := range s {
			t := v.vec()
			VCVTPS2PD(Mem{Base: x, Index: i, Scale: 4, Disp: 2 * v.lanes * k}, t)
			term(t, s[k])
		}
	})
	VADDPD(s[1], s[0], s[0])
	VADDPD(s[3], s[2], s[2])
	VADDPD(s[2], s[0], s[0])
	VMOVUPD(s[0], Mem{Base: sum})
	VZEROUPPER()
	RET()
}

// maxAbs emits the maximum of the bits without the sign, which have the order of the values.
func (v isa) maxAbs() {
	kernels.AtLevel("maxAbs", v.name, "func(most *[16]uint32, x *float32, n int)")
	Doc("maxAbs" + v.name + " writes the lanes of the largest absolute value of the n elements at x, a multiple of 32.")
	most, x := Load(Param("most"), GP64()), Load(Param("x"), GP64())
	var s [2]VecVirtual
	for k := range s {
		s[k] = v.vec()
		v.xor(s[k], s[k], s[k])
	}
	loop(2*v.lanes, func(i Register) {
		for k := range s {
			t := v.vec()
			v.load(Mem{Base: x, Index: i, Scale: 4, Disp: 4 * v.lanes * k}, t)
			v.and(v.constant("withoutSign"), t)
			VPMAXUD(t, s[k], s[k])
		}
	})
	VPMAXUD(s[1], s[0], s[0])
	v.store(s[0], Mem{Base: most})
	VZEROUPPER()
	RET()
}

// takeSigns emits the signs of x, and subtracts the scale with the same sign.
func (v isa) takeSigns() {
	kernels.AtLevel("takeSigns", v.name, "func(bits *byte, x *float32, scale float32, n int)")
	Doc("takeSigns"+v.name+" writes the signs of the n elements at x, a multiple of 32, one bit each, and subtracts the",
		"scale with the same sign.")
	bits, x, scale := Load(Param("bits"), GP64()), Load(Param("x"), GP64()), v.broadcast(16)
	sign := v.vec()
	v.load(v.constant("onlySign"), sign)
	loop(v.lanes, func(i Register) {
		t, s := v.vec(), v.vec()
		v.load(Mem{Base: x, Index: i, Scale: 4}, t)
		if v.lanes == 16 {
			k := K()
			VPTESTMD(sign, t, k)
			KMOVW(k, Mem{Base: bits})
			VPANDD(sign, t, s)
		} else {
			b := GP32()
			VMOVMSKPS(t, b)
			MOVB(b.As8(), Mem{Base: bits})
			VPAND(sign, t, s)
		}
		v.xor(scale, s, s)
		VSUBPS(s, t, t)
		VMOVUPS(t, Mem{Base: x, Index: i, Scale: 4})
		ADDQ(U8(v.lanes/8), bits)
	})
	VZEROUPPER()
	RET()
}

// putSigns emits the scale with each sign.
func (v isa) putSigns() {
	kernels.AtLevel("putSigns", v.name, "func(dst *float32, bits *byte, scale float32, n int)")
	Doc("putSigns" + v.name + " writes the scale with each of n signs, a multiple of 32.")
	dst, bits, scale := Load(Param("dst"), GP64()), Load(Param("bits"), GP64()), v.broadcast(16)
	each := v.vec()
	if v.lanes == 8 {
		v.load(v.constant("eachBit"), each)
	} else {
		v.load(v.constant("onlySign"), each)
	}
	loop(v.lanes, func(i Register) {
		t := v.vec()
		if v.lanes == 16 {
			k := K()
			KMOVW(Mem{Base: bits}, k)
			VMOVDQA64(scale, t)
			VPXORD(each, scale, k, t)
		} else {
			b, low := GP64(), XMM()
			MOVBQZX(Mem{Base: bits}, b)
			VMOVD(b.As32(), low)
			VPBROADCASTD(low, t)
			VPAND(each, t, t)
			VPCMPEQD(each, t, t)
			VPSLLD(Imm(31), t, t)
			VPXOR(scale, t, t)
		}
		v.store(t, Mem{Base: dst, Index: i, Scale: 4})
		ADDQ(U8(v.lanes/8), bits)
	})
	VZEROUPPER()
	RET()
}

// fixedPoint emits the conversion to whole numbers. What is added before rounding down is made of random bits.
func (v isa) fixedPoint() {
	kernels.AtLevel("fixedPoint", v.name, "func(dst *int32, x *float32, random *uint16, scale float64, n int)")
	Doc("fixedPoint" + v.name + " writes the n elements at x, a multiple of 32, times a scale, rounded by random numbers.")
	dst, x, random := Load(Param("dst"), GP64()), Load(Param("x"), GP64()), Load(Param("random"), GP64())
	scale, step, half := v.vec(), v.vec(), v.vec()
	VBROADCASTSD(NewParamAddr("scale", 24), scale)
	VBROADCASTSD(number("randomStep", 0x1p-16), step)
	VBROADCASTSD(number("halfStep", 0x1p-17), half)
	loop(v.lanes/2, func(i Register) {
		t, r, narrow := v.vec(), v.vec(), v.half()
		VCVTPS2PD(Mem{Base: x, Index: i, Scale: 4}, t)
		VMULPD(scale, t, t)
		VPMOVZXWD(Mem{Base: random, Index: i, Scale: 2}, narrow)
		VCVTDQ2PD(narrow, r)
		VFMADD213PD(half, step, r)
		VADDPD(r, t, t)
		if v.lanes == 16 {
			VRNDSCALEPD(Imm(1), t, t)
			VCVTTPD2DQ(t, narrow)
		} else {
			VROUNDPD(Imm(1), t, t)
			VCVTTPD2DQY(t, narrow)
		}
		VMOVDQU(narrow, Mem{Base: dst, Index: i, Scale: 4})
	})
	VZEROUPPER()
	RET()
}

// number returns a constant in memory.
func number(name string, x float64) Mem {
	if m, ok := constants[name]; ok {
		return m
	}
	m := GLOBL(name, RODATA|NOPTR)
	DATA(0, U64(math.Float64bits(x)))
	constants[name] = m
	return m
}

// packNibbles emits the low nibbles of bytes, two to a byte: the first one plus 16 times the second.
func packNibbles() {
	TEXT("packNibblesAVX2", NOSPLIT, "func(dst *byte, x *byte, n int)")
	Doc("packNibblesAVX2 writes the low nibbles of the n bytes at x, a multiple of 64, two to a byte.")
	dst, x := Load(Param("dst"), GP64()), Load(Param("x"), GP64())
	low, factor := YMM(), YMM()
	VPBROADCASTD(bytes4("lowNibbles", 0x0f0f0f0f), low)
	VPBROADCASTD(bytes4("nibbleFactors", 0x10011001), factor)
	loop(64, func(i Register) {
		var t [2]VecVirtual
		for k := range t {
			t[k] = YMM()
			VPAND(Mem{Base: x, Index: i, Scale: 1, Disp: 32 * k}, low, t[k])
			VPMADDUBSW(factor, t[k], t[k])
		}
		VPACKUSWB(t[1], t[0], t[0])
		VPERMQ(Imm(0xd8), t[0], t[0])
		VMOVDQU(t[0], Mem{Base: dst})
		ADDQ(U8(32), dst)
	})
	VZEROUPPER()
	RET()
}

// unpackNibbles emits nibbles as numbers with signs.
func unpackNibbles() {
	TEXT("unpackNibblesAVX2", NOSPLIT, "func(dst *int8, x *byte, n int)")
	Doc("unpackNibblesAVX2 writes the n nibbles at x, a multiple of 64, as numbers from -8 to 7.")
	dst, x := Load(Param("dst"), GP64()), Load(Param("x"), GP64())
	low, sign := YMM(), YMM()
	VPBROADCASTD(bytes4("lowNibbles", 0x0f0f0f0f), low)
	VPBROADCASTD(bytes4("nibbleSigns", 0x08080808), sign)
	loop(64, func(i Register) {
		for k := range 2 {
			t, high := YMM(), YMM()
			VPMOVZXBW(Mem{Base: x, Disp: 16 * k}, t)
			VPSLLW(Imm(4), t, high)
			VPOR(high, t, t)
			VPAND(low, t, t)
			VPXOR(sign, t, t)
			VPSUBB(sign, t, t)
			VMOVDQU(t, Mem{Base: dst, Index: i, Scale: 1, Disp: 32 * k})
		}
		ADDQ(U8(32), x)
	})
	VZEROUPPER()
	RET()
}

// bytes4 returns four bytes in memory.
func bytes4(name string, x uint32) Mem {
	if m, ok := constants[name]; ok {
		return m
	}
	m := GLOBL(name, RODATA|NOPTR)
	DATA(0, U32(x))
	constants[name] = m
	return m
}

// loop emits body for each step of the n elements.
func loop(step int, body func(i Register)) {
	n, i := Load(Param("n"), GP64()), GP64()
	XORQ(i, i)
	Label("loop")
	CMPQ(i, n)
	JGE(LabelRef("done"))
	body(i)
	ADDQ(U8(step), i)
	JMP(LabelRef("loop"))
	Label("done")
}
