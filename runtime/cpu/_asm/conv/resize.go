package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

// weightedLines emits sums of neighboring lines of n > 0 floats, each multiplied by its weight.
func weightedLines(s isa) {
	name := "weightedLines" + s.name()
	kernels.AtLevel("weightedLines", s.name(), "func(dst, x, weights *float32, first *int64, lines, taps, n int)")
	Doc(name + " writes lines > 0 lines, each the sum of taps > 0 lines of x from the one that first says, times weights.")
	dst, x := Load(Param("dst"), GP64()), Load(Param("x"), GP64())
	weights, first := Load(Param("weights"), GP64()), Load(Param("first"), GP64())
	lines, size, n := Load(Param("lines"), GP64()), GP64().(GPVirtual), Load(Param("n"), GP64()).(GPVirtual)
	MOVQ(n, size)
	bytes(size)
	rest := GP64()
	MOVQ(n, rest)
	ANDQ(U32(s.lanes()-1), rest)
	m := s.first(rest)

	Label("line")
	src, left := GP64(), GP64()
	MOVQ(Mem{Base: first}, src)
	IMULQ(size, src)
	ADDQ(x, src)
	MOVQ(n, left)
	SUBQ(U32(s.lanes()), left)
	JL(LabelRef("rest"))
	Label("vector")
	v, w := s.vec(), s.vec()
	at, k, weight := GP64(), GP64(), GP64()
	fold := func(label string, read func(), store func()) {
		MOVQ(src, at)
		MOVQ(weights, weight)
		Load(Param("taps"), k)
		read()
		broadcast(Mem{Base: weight}, w)
		acc := s.vec()
		VMULPS(v, w, acc)
		JMP(LabelRef(label + "Next"))
		Label(label + "Tap")
		read()
		broadcast(Mem{Base: weight}, w)
		VFMADD231PS(v, w, acc)
		Label(label + "Next")
		ADDQ(size, at)
		ADDQ(U8(4), weight)
		DECQ(k)
		JNZ(LabelRef(label + "Tap"))
		VMOVAPS(acc, v)
		store()
	}
	fold("vector", func() { load(Mem{Base: at}, v) }, func() { store(v, Mem{Base: dst}) })
	ADDQ(U32(4*s.lanes()), src)
	ADDQ(U32(4*s.lanes()), dst)
	SUBQ(U32(s.lanes()), left)
	JGE(LabelRef("vector"))
	Label("rest")
	TESTQ(rest, rest)
	JZ(LabelRef("next"))
	fold("rest", func() { m.load(Mem{Base: at}, v) }, func() { m.store(v, Mem{Base: dst}) })
	LEAQ(Mem{Base: dst, Index: rest, Scale: 4}, dst)
	Label("next")
	ADDQ(U8(8), first)
	Load(Param("taps"), k)
	LEAQ(Mem{Base: weights, Index: k, Scale: 4}, weights)
	DECQ(lines)
	JNZ(LabelRef("line"))
	VZEROUPPER()
	RET()
}
