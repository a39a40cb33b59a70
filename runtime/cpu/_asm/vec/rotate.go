package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

// rotate emits the rotation of pairs, whose elements are in two vectors, by angles whose cosines and sines are in two others. Nothing is
// fused, so that the portable version gives the same bits.
func rotate(v isa) {
	kernels.Variant("vecRotate", v.name(), "func(da, db, a, b, cos, sin []float32)")
	var base []Register
	for _, name := range []string{"da", "db", "a", "b", "cos", "sin"} {
		base = append(base, Load(Param(name).Base(), GP64()))
	}
	each(v, Load(Param("da").Len(), GP64()), func(m mask, at func(Register) Mem) {
		a, b, c, s := m.load(at(base[2])), m.load(at(base[3])), m.load(at(base[4])), m.load(at(base[5]))
		y, z := v.sub(v.mul(c, a), v.mul(s, b)), v.add(v.mul(s, a), v.mul(c, b))
		m.store(y, at(base[0]))
		m.store(z, at(base[1]))
	})
}
