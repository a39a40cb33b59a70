package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

// layerNormRows emits layer normalization of whole groups of rows of at most 64 elements, with the operations of [layerNorm].
func layerNormRows(v isa, f formulas) {
	kernels.AtLevel("layerNormRows", v.name(), "func(dst, x, scale, bias []float32, n, rows int, eps float32)")
	g := newGroup(v)
	dst, x, rows := Load(Param("dst").Base(), GP64()), Load(Param("x").Base(), GP64()), Load(Param("rows"), GP64())
	const mean, factor = 0, 1
	Label("group")
	g.rows("sum", func(r groupRow) {
		var acc []Register
		r.each(func(m mask, at func(Register) Mem) { acc = append(acc, m.load(at(x))) })
		r.sum(acc)
	})
	g.note(mean, v.div(g.sums(), g.length()))

	g.rows("square", func(r groupRow) {
		var acc []Register
		e := r.noted(mean)
		r.each(func(m mask, at func(Register) Mem) {
			d := m.keep(v.sub(m.load(at(x)), e), f.zero())
			acc = append(acc, v.mul(d, d))
		})
		r.sum(acc)
	})
	variance := v.add(v.div(g.sums(), g.length()), scalar(v, "eps"))
	g.note(factor, v.div(f.c(1), v.sqrt(variance)))

	scale, bias := Load(Param("scale").Base(), GP64()), Load(Param("bias").Base(), GP64())
	g.rows("scale", func(r groupRow) {
		e, s := r.noted(mean), r.noted(factor)
		j := 0
		r.each(func(m mask, at func(Register) Mem) {
			beside := func(base Register) Mem { return Mem{Base: base, Disp: 4 * j * v.lanes()} }
			d := v.mul(v.sub(m.load(at(x)), e), s)
			m.store(v.add(v.mul(d, m.load(beside(scale))), m.load(beside(bias))), at(dst))
			j++
		})
	})
	g.next(rows, "group")
	VZEROUPPER()
	RET()
}

// length returns the number of elements of a row in all lanes.
func (g *group) length() Register {
	n, x := Load(Param("n"), GP64()), g.vec()
	VMOVD(n.(GPVirtual).As32(), x.AsX())
	VPBROADCASTD(x.AsX(), x)
	return g.toFloat(x)
}

// l2NormRows emits the division of whole groups of rows of at most 64 elements by their norms, or by least.
func l2NormRows(v isa, f formulas) {
	kernels.AtLevel("l2NormRows", v.name(), "func(dst, x []float32, n, rows int, least float32)")
	g := newGroup(v)
	dst, x, rows := Load(Param("dst").Base(), GP64()), Load(Param("x").Base(), GP64()), Load(Param("rows"), GP64())
	Label("group")
	g.rows("square", func(r groupRow) {
		var acc []Register
		r.each(func(m mask, at func(Register) Mem) {
			e := m.load(at(x))
			acc = append(acc, v.mul(e, e))
		})
		r.sum(acc)
	})
	norm := v.max(scalar(v, "least"), v.sqrt(g.sums())) // NaN stays: it is the second operand
	g.note(0, v.div(f.c(1), norm))
	g.rows("scale", func(r groupRow) {
		s := r.noted(0)
		r.each(func(m mask, at func(Register) Mem) { m.store(v.mul(m.load(at(x)), s), at(dst)) })
	})
	g.next(rows, "group")
	VZEROUPPER()
	RET()
}
