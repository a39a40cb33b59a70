package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

// layerNorm emits one row of layer normalization with a scale and a bias.
func layerNorm(v isa, f formulas) {
	kernels.Variant("vecLayerNorm", v.name(), "func(dst, x, scale, bias []float32, eps float32)")
	dst, x := Load(Param("dst").Base(), GP64()), Load(Param("x").Base(), GP64())
	scale, bias := Load(Param("scale").Base(), GP64()), Load(Param("bias").Base(), GP64())
	left, n := GP64(), Load(Param("dst").Len(), GP64())
	count := XMM()
	VXORPS(count, count, count)
	VCVTSI2SSQ(n, count, count)

	acc := zeroed(v)
	MOVQ(n, left)
	lanes64(v, left, "sum", acc, func(m mask, at func(Register) Mem, j int) {
		VADDPS(m.load(at(x)), acc[j], acc[j])
	})
	mean := v.vec()
	everywhere(v, over(fold(v, acc, addAny), count), mean)

	MOVQ(n, left)
	loop(v, left, "sub", func(m mask, at func(Register) Mem) {
		m.store(v.sub(m.load(at(x)), mean), at(dst))
	})

	acc = zeroed(v)
	MOVQ(n, left)
	lanes64(v, left, "dot", acc, func(m mask, at func(Register) Mem, j int) {
		d := m.load(at(dst))
		VFMADD231PS(d, d, acc[j])
	})
	variance := over(fold(v, acc, addAny), count)
	eps, err := Param("eps").Resolve()
	if err != nil {
		panic(err)
	}
	VADDSS(eps.Addr, variance, variance)
	VSQRTSS(variance, variance, variance)
	one := f.c(1)
	VDIVSS(variance, one.(VecVirtual).AsX(), variance)
	factor := v.vec()
	everywhere(v, variance, factor)

	MOVQ(n, left)
	loop(v, left, "scale", func(m mask, at func(Register) Mem) {
		d := v.mul(v.mul(m.load(at(dst)), factor), m.load(at(scale)))
		m.store(v.add(d, m.load(at(bias))), at(dst))
	})
	VZEROUPPER()
	RET()
}

// zeroed returns 64 empty sums.
func zeroed(v isa) []Register {
	acc := accumulators(v)
	for _, a := range acc {
		VXORPS(a.(VecVirtual).AsY(), a.(VecVirtual).AsY(), a.(VecVirtual).AsY())
	}
	return acc
}

// over returns the first lane of x divided by that of n.
func over(x, n Register) Register {
	q := XMM()
	VDIVSS(n, x.(VecVirtual).AsX(), q)
	return q
}
