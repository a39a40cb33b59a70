package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

// repeat emits copies of each element of x, n floats from those of the next one. It stores whole vectors, the
// last of which may extend beyond the n floats: they do not wait for each other as vectors under a mask do.
func repeat(v isa) {
	kernels.AtLevel("vecRepeat", v.name(), "func(dst, x []float32, n int)")
	dst, x, count := Load(Param("dst").Base(), GP64()), Load(Param("x").Base(), GP64()), Load(Param("x").Len(), GP64())
	n, at, left := Load(Param("n"), GP64()), GP64(), GP64()
	TESTQ(count, count)
	JZ(LabelRef("done"))
	Label("element")
	s := v.vec()
	VBROADCASTSS(Mem{Base: x}, s)
	MOVQ(dst, at)
	MOVQ(n, left)
	Label("vector")
	VMOVUPS(s, Mem{Base: at})
	ADDQ(U8(4*v.lanes()), at)
	SUBQ(U8(v.lanes()), left)
	JG(LabelRef("vector"))
	LEAQ(Mem{Base: dst, Index: n, Scale: 4}, dst)
	ADDQ(U8(4), x)
	DECQ(count)
	JNZ(LabelRef("element"))
	Label("done")
	VZEROUPPER()
	RET()
}
