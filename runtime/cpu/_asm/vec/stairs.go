package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

// stairs is what the kernels of stairs read.
type stairs struct {
	isa
	s, row  Register // the argument, and the number of the row
	x, seen Register
	n       Register // the elements of the row that count
}

var stairsType = kernels.StructOf("stairs")

// softmaxStairs emits the softmax of rows that end at different places. It computes the largest elements of all rows, then all
// exponentials and sums, and then the products with the inverse sums: the fold of a row is no reason to wait, as the next row
// does not depend on it. Rows have room for whole vectors, so that none is stored in parts.
func softmaxStairs(v isa, f formulas) {
	kernels.AtLevel("softmaxStairs", v.name(), "func(s *stairs)")
	s := Load(Param("s"), GP64())

	g := stairs{isa: v, s: s}
	g.each("top", func() { g.tops() })
	f = f.keepExp(2)
	g.each("exp", func() {
		top, acc := v.vec(), zeroed(v)
		VBROADCASTSS(g.of("tops"), top)
		g.whole64("exps", g.upToVector(g.n), acc, func(at Mem, j int) {
			e := f.expDown(v.sub(whole{v}.load(at), top))
			whole{v}.store(e, at)
			VADDPS(e, acc[j], acc[j])
		})
		VMOVSS(inverse(fold(v, acc, addAny)), g.of("tops"))
	})
	g.each("scale", func() {
		factor := v.vec()
		VBROADCASTSS(g.of("tops"), factor)
		i, end := GP64(), g.upToVector(g.n)
		XORQ(i, i)
		g.whole("scales", i, end, func(at Mem) { whole{v}.store(v.mul(whole{v}.load(at), factor), at) })
		MOVQ(g.field("n"), end)
		g.whole("zeros", i, end, func(at Mem) { whole{v}.store(f.zero(), at) })
	})
	VZEROUPPER()
	RET()
}

// field addresses a field of the argument.
func (g *stairs) field(name string) Mem { return Mem{Base: g.s, Disp: stairsType.Offset(name)} }

// of addresses the element of an array of the argument that belongs to the row.
func (g *stairs) of(name string) Mem {
	return Mem{Base: g.s, Disp: stairsType.Offset(name), Index: g.row, Scale: 4}
}

// each emits body for each row.
func (g *stairs) each(name string, body func()) {
	g.row, g.x, g.seen = GP64(), GP64(), GP64()
	XORQ(g.row, g.row)
	MOVQ(g.field("x"), g.x)
	MOVQ(g.field("seen"), g.seen)
	Label(name)
	zero := GP64()
	g.n = GP64()
	XORQ(zero, zero)
	MOVQ(g.field("n"), g.n)
	CMPQ(g.seen, g.n)
	CMOVQLT(g.seen, g.n)
	TESTQ(g.n, g.n)
	CMOVQLT(zero, g.n)
	body()
	step := GP64()
	MOVQ(g.field("step"), step)
	LEAQ(Mem{Base: g.x, Index: step, Scale: 4}, g.x)
	ADDQ(g.field("more"), g.seen)
	INCQ(g.row)
	CMPQ(g.row, g.field("rows"))
	JL(LabelRef(name))
}

// tops writes the largest element of a row with its mask, or the floor if that is larger. The vector with the end of the row is
// completed by -Inf.
func (g *stairs) tops() {
	top, none, floor := g.vec(), g.vec(), g.vec()
	g.splat(constant(0xff800000), none)
	VBROADCASTSS(g.field("floor"), floor)
	VMOVAPS(floor, top)
	TESTQ(g.n, g.n)
	JZ(LabelRef("topNone"))
	m, i, end, left := GP64(), GP64(), GP64(), GP64()
	XORQ(i, i)
	LEAQ(Mem{Base: g.n, Disp: -1}, end)
	ANDQ(I32(-g.lanes()), end)
	MOVQ(g.n, left)
	SUBQ(end, left)
	last := func(y Register, at Mem) {
		y = g.first(left).keep(y, none)
		whole{g.isa}.store(y, at)
		g.into(g.max(top, y), top)
	}
	MOVQ(g.field("mask"), m)
	TESTQ(m, m)
	JNZ(LabelRef("topMask"))
	g.whole("tops", i, end, func(at Mem) { g.into(g.max(top, whole{g.isa}.load(at)), top) })
	at := Mem{Base: g.x, Index: i, Scale: 4}
	last(whole{g.isa}.load(at), at)
	JMP(LabelRef("topNone"))
	Label("topMask")
	rowMask := GP64()
	MOVQ(g.field("maskStep"), rowMask)
	IMULQ(g.row, rowMask)
	LEAQ(Mem{Base: m, Index: rowMask, Scale: 4}, m)
	g.whole("topMasks", i, end, func(at Mem) {
		y := g.add(whole{g.isa}.load(at), whole{g.isa}.load(Mem{Base: m, Index: i, Scale: 4}))
		whole{g.isa}.store(y, at)
		g.into(g.max(top, y), top)
	})
	last(g.add(whole{g.isa}.load(at), g.first(left).load(Mem{Base: m, Index: i, Scale: 4})), at)
	Label("topNone")
	VMOVSS(foldOne(g.isa, top, "Max").(VecVirtual).AsX(), g.of("tops"))
}

// upToVector returns n, rounded up to whole vectors.
func (g *stairs) upToVector(n Register) Register {
	end := GP64()
	LEAQ(Mem{Base: n, Disp: g.lanes() - 1}, end)
	ANDQ(I32(-g.lanes()), end)
	return end
}

// whole emits body for whole vectors from i to end, where i is at or behind end at last.
func (g *stairs) whole(name string, i, end Register, body func(at Mem)) {
	JMP(LabelRef(name + "Test"))
	Label(name)
	body(Mem{Base: g.x, Index: i, Scale: 4})
	ADDQ(U8(g.lanes()), i)
	Label(name + "Test")
	CMPQ(i, end)
	JL(LabelRef(name))
}

// whole64 emits body for n elements in whole vectors: of each 64 elements, vector j is added to acc[j].
func (g *stairs) whole64(name string, n Register, acc []Register, body func(at Mem, j int)) {
	i := GP64()
	XORQ(i, i)
	at := func(j int) Mem { return Mem{Base: g.x, Index: i, Scale: 4, Disp: 4 * j * g.lanes()} }
	SUBQ(U8(64), n)
	JL(LabelRef(name + "Rest"))
	Label(name)
	for j := range acc {
		body(at(j), j)
	}
	ADDQ(U8(64), i)
	SUBQ(U8(64), n)
	JGE(LabelRef(name))
	Label(name + "Rest")
	ADDQ(U8(64), n)
	for j := range len(acc) - 1 {
		SUBQ(U8(g.lanes()), n)
		JL(LabelRef(name + "Done"))
		body(at(j), j)
	}
	Label(name + "Done")
}
