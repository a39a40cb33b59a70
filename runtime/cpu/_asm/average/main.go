// Command average writes average_amd64.s: the kernels of averaging, for whole vectors only.
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
		{"AVX512", 8, func() VecVirtual { return ZMM() }, func() VecVirtual { return YMM() }},
		{"AVX2", 4, func() VecVirtual { return YMM() }, func() VecVirtual { return XMM() }},
	} {
		v.addScaled()
		v.div()
	}
	Generate()
}

// isa is an instruction set, with the number of float64 lanes of a register.
type isa struct {
	name  string
	lanes int
	vec   func() VecVirtual
	half  func() VecVirtual // a register with the same number of float32 lanes
}

// addScaled emits dst += s·x.
func (v isa) addScaled() {
	kernels.AtLevel("addScaled", v.name, "func(dst *float64, x *float32, s float64, n int)")
	dst, x, s := Load(Param("dst"), GP64()), Load(Param("x"), GP64()), v.vec()
	VBROADCASTSD(NewParamAddr("s", 16), s)
	v.loop(v.lanes, func(i Register) {
		t := v.vec()
		VCVTPS2PD(Mem{Base: x, Index: i, Scale: 4}, t)
		VMULPD(s, t, t)
		VADDPD(Mem{Base: dst, Index: i, Scale: 8}, t, t)
		VMOVUPD(t, Mem{Base: dst, Index: i, Scale: 8})
	})
	VZEROUPPER()
	RET()
}

// div emits dst = x / d.
func (v isa) div() {
	kernels.AtLevel("divNarrow", v.name, "func(dst *float32, x *float64, d float64, n int)")
	dst, x, d := Load(Param("dst"), GP64()), Load(Param("x"), GP64()), v.vec()
	VBROADCASTSD(NewParamAddr("d", 16), d)
	v.loop(v.lanes, func(i Register) {
		t, narrow := v.vec(), v.half()
		VMOVUPD(Mem{Base: x, Index: i, Scale: 8}, t)
		VDIVPD(d, t, t)
		v.narrow(t, narrow)
		VMOVUPS(narrow, Mem{Base: dst, Index: i, Scale: 4})
	})
	VZEROUPPER()
	RET()
}

func (v isa) narrow(x, to Register) {
	if v.lanes == 8 {
		VCVTPD2PS(x, to)
	} else {
		VCVTPD2PSY(x, to)
	}
}

// loop emits body for each step of the n elements.
func (v isa) loop(step int, body func(i Register)) {
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
