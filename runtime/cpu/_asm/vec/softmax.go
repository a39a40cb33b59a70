package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// softmax emits the softmax of rows of n elements that are step apart. It subtracts from a row its largest
// element, or floor if that is larger.
func softmax(v isa, f formulas) {
	TEXT("softmaxRows"+v.name(), NOSPLIT, "func(dst, x []float32, n, step int, floor float32)")
	dst, x := Load(Param("dst").Base(), GP64()), Load(Param("x").Base(), GP64())
	rows, n, left := Load(Param("dst").Len(), GP64()), Load(Param("n"), GP64()), GP64()
	step := Load(Param("step"), GP64())
	if v.lanes() == 16 { // with more constants, sums would be in registers that VEXTRACTF128 does not read
		f = f.keep(math.Log2E, rounder, logHigh, logLow, 1, leastDown)
	}
	Label("row")

	floor, top := scalar(v, "floor"), v.vec()
	VMOVAPS(floor, top)
	MOVQ(n, left)
	loop(v, left, "top", func(m mask, at func(Register) Mem) {
		v.into(v.max(top, m.keep(m.load(at(x)), floor)), top)
	})
	everywhere(v, foldOne(v, top, "Max"), top)

	acc := zeroed(v)
	MOVQ(n, left)
	lanes64(v, left, "exp", acc, func(m mask, at func(Register) Mem, j int) {
		e := f.expDown(v.sub(m.load(at(x)), top))
		m.store(e, at(dst))
		VADDPS(m.keep(e, f.zero()), acc[j], acc[j])
	})
	factor := v.vec()
	everywhere(v, inverse(fold(v, acc, addAny)), factor)

	MOVQ(n, left)
	loop(v, left, "scale", func(m mask, at func(Register) Mem) {
		m.store(v.mul(m.load(at(dst)), factor), at(dst))
	})
	LEAQ(Mem{Base: dst, Index: step, Scale: 4}, dst)
	LEAQ(Mem{Base: x, Index: step, Scale: 4}, x)
	SUBQ(step, rows)
	JG(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// inverse returns 1/max(sum, 0.5) for a sum of exponentials in the first lane. A row of zeros remains zeros with that; other
// rows contain a one. NaN remains: it is the second operand.
func inverse(sum Register) Register {
	least, one := XMM(), XMM()
	VMOVUPS(constant(math.Float32bits(0.5)), least)
	VMOVUPS(constant(math.Float32bits(1)), one)
	VMAXPS(sum, least, least)
	VDIVPS(least, one, one)
	return one
}

// everywhere copies the first lane of x to all lanes of to.
func everywhere(v isa, x Register, to Register) {
	VBROADCASTSS(x.(VecVirtual).AsX(), to)
}
