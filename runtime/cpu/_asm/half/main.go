// Command half writes half_amd64.s: float32 to floats of 16 bits and back, whole vectors only.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

func main() {
	kernels.Begin()
	for _, v := range []isa{
		{"AVX512", 16, func() VecVirtual { return ZMM() }},
		{"AVX2", 8, func() VecVirtual { return YMM() }},
	} {
		widen(v, "F16", func(m Mem, x Register) { VCVTPH2PS(m, x) })
		widen(v, "BF16", func(m Mem, x Register) {
			VPMOVZXWD(m, x)
			VPSLLD(U8(16), x, x)
		})
		narrow(v, "F16", func(x Register, m Mem) { VCVTPS2PH(U8(0), x, m) })
		round := v.bfloat16()
		narrow(v, "BF16", func(x Register, m Mem) { v.pack(round(x), m) })
		if v.lanes == 16 {
			row(v, round)
			pairs(v, round)
			pairHalves(v)
		}
	}
	Generate()
}

// isa is an instruction set, with the number of float32 lanes of a register.
type isa struct {
	name  string
	lanes int
	vec   func() VecVirtual
}

// widen emits a loop that loads halves as float32.
func widen(v isa, name string, load func(m Mem, x Register)) {
	kernels.AtLevel("from"+name, v.name, "func(dst *float32, x *uint16, n int)")
	dst, x := Load(Param("dst"), GP64()), Load(Param("x"), GP64())
	loop(v, func(i Register) {
		y := v.vec()
		load(Mem{Base: x, Index: i, Scale: 2}, y)
		VMOVUPS(y, Mem{Base: dst, Index: i, Scale: 4})
	})
}

// narrow emits a loop that stores float32 as halves.
func narrow(v isa, name string, store func(x Register, m Mem)) {
	kernels.AtLevel("to"+name, v.name, "func(dst *uint16, x *float32, n int)")
	dst, x := Load(Param("dst"), GP64()), Load(Param("x"), GP64())
	loop(v, func(i Register) {
		y := v.vec()
		VMOVUPS(Mem{Base: x, Index: i, Scale: 4}, y)
		store(y, Mem{Base: dst, Index: i, Scale: 2})
	})
}

// loop emits body for each vector of the n elements, and returns.
func loop(v isa, body func(i Register)) {
	n, i := Load(Param("n"), GP64()), GP64()
	XORQ(i, i)
	Label("loop")
	CMPQ(i, n)
	JGE(LabelRef("done"))
	body(i)
	ADDQ(U8(v.lanes), i)
	JMP(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}

// bfloat16 rounds the upper half of each lane to nearest even, and returns it in the lower half. A NaN keeps its
// upper half, made quiet.
func (v isa) bfloat16() func(x Register) Register {
	constant := func(name string, bits uint32) Mem {
		g := GLOBL(name+v.name, RODATA|NOPTR)
		for i := range v.lanes {
			DATA(4*i, U32(bits))
		}
		return g
	}
	one, below, quiet := constant("halfOne", 1), constant("halfBelow", 0x7fff), constant("halfQuiet", 0x40)
	return func(x Register) Register {
		upper, sum, nan := v.vec(), v.vec(), v.vec()
		VPSRLD(U8(16), x, upper)
		VANDPS(one, upper, sum)
		VPADDD(x, sum, sum)
		VPADDD(below, sum, sum)
		VPSRLD(U8(16), sum, sum)
		VORPS(quiet, upper, nan)
		v.whereNaN(x, nan, sum)
		return sum
	}
}

// whereNaN copies lanes of yes to to where x is NaN.
func (v isa) whereNaN(x, yes, to Register) {
	const unordered = 3
	if v.lanes == 16 {
		k := K()
		VCMPPS(U8(unordered), x, x, k)
		VMOVAPS(yes, k, to)
		return
	}
	mask := v.vec()
	VCMPPS(U8(unordered), x, x, mask)
	VBLENDVPS(mask, yes, to, to)
}

// pack stores the lower halves of the lanes.
func (v isa) pack(x Register, m Mem) {
	if v.lanes == 16 {
		VPMOVDW(x, m)
		return
	}
	VPACKUSDW(x, x, x)
	VPERMQ(U8(0b1000), x, x)
	low := x.(VecVirtual).AsX()
	VMOVUPS(low, m)
}
