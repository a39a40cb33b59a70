package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

// wheres emits selections by a vector of bools, for whole vectors of elements: len(dst) is a multiple of the
// lanes.
func wheres(v isa) {
	where(v, "Where", "dst []float32, cond []bool, a, b []float32", func(at func(string) Register) (Register, Register) {
		return at("a"), at("b")
	})
	where(v, "WhereS", "dst []float32, cond []bool, a []float32, s float32", func(at func(string) Register) (Register, Register) {
		return at("a"), at("s")
	})
	where(v, "WhereNotS", "dst []float32, cond []bool, a []float32, s float32", func(at func(string) Register) (Register, Register) {
		return at("s"), at("a")
	})
}

func where(v isa, name, params string, operands func(at func(string) Register) (a, b Register)) {
	kernels.AtLevel("vec"+name, v.name(), "func("+params+")")
	dst, cond, n := Load(Param("dst").Base(), GP64()), Load(Param("cond").Base(), GP64()), Load(Param("dst").Len(), GP64())
	i := GP64()
	base := map[string]Register{"a": Load(Param("a").Base(), GP64())}
	if name == "Where" {
		base["b"] = Load(Param("b").Base(), GP64())
	} else {
		base["s"] = scalar(v, "s")
	}
	XORQ(i, i)
	Label("loop")
	CMPQ(i, n)
	JGE(LabelRef("done"))
	yes := v.vec()
	VPMOVZXBD(Mem{Base: cond, Index: i, Scale: 1}, yes)
	a, b := operands(func(name string) Register {
		if name == "s" {
			return base[name]
		}
		return whole{v}.load(Mem{Base: base[name], Index: i, Scale: 4})
	})
	VMOVUPS(v.choose(yes, a, b), Mem{Base: dst, Index: i, Scale: 4})
	ADDQ(U8(v.lanes()), i)
	JMP(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}
