package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

// rotate emits the rotation of the halves of vectors that are step apart, by angles whose cosines and sines are in two others. Nothing is
// fused, so that the portable version gives the same bits.
func rotate(v isa) {
	kernels.Variant("vecRotate", v.name(), "func(dst, x, cos, sin []float32, vectors, step int)")
	d, x := Load(Param("dst").Base(), GP64()), Load(Param("x").Base(), GP64())
	cos, sin := Load(Param("cos").Base(), GP64()), Load(Param("sin").Base(), GP64())
	half, vectors, step := Load(Param("cos").Len(), GP64()), Load(Param("vectors"), GP64()), Load(Param("step"), GP64())
	d2, x2, n := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: d, Index: half, Scale: 4}, d2)
	LEAQ(Mem{Base: x, Index: half, Scale: 4}, x2)
	SHLQ(U8(2), step)
	Label("vector")
	SUBQ(U8(1), vectors)
	JL(LabelRef("end"))
	MOVQ(half, n)
	loop(v, n, "", func(m mask, at func(Register) Mem) {
		a, b, c, s := m.load(at(x)), m.load(at(x2)), m.load(at(cos)), m.load(at(sin))
		first, second := v.sub(v.mul(c, a), v.mul(s, b)), v.add(v.mul(s, a), v.mul(c, b))
		m.store(first, at(d))
		m.store(second, at(d2))
	})
	for _, r := range []Register{d, d2, x, x2} {
		ADDQ(step, r)
	}
	JMP(LabelRef("vector"))
	Label("end")
	VZEROUPPER()
	RET()
}
