package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

// quarters emits max pooling over windows of 2×2 elements and its gradient, for a row of windows: the rows of
// x are w floats apart. It processes half a vector of windows at a time.
func quarters(v isa) {
	f := formulas{isa: v}
	kernels.Variant("quarterMax", v.name(), "func(dst, x []float32, w int)")
	dst := Load(Param("dst").Base(), GP64())
	top, bottom := windowRows("x")
	eachPair(v, Load(Param("dst").Len(), GP64()), func(windows, elements mask, i Register) {
		a, b := elements.load(pairAt(top, i)), elements.load(pairAt(bottom, i))
		windows.storeHalf(v.evens(f.largestOfWindow(a, b)), Mem{Base: dst, Index: i, Scale: 4})
	})

	kernels.Variant("quarterMaxGrad", v.name(), "func(dst, x, dy []float32, w int)")
	dy := Load(Param("dy").Base(), GP64())
	top, bottom = windowRows("x")
	dTop, dBottom := windowRows("dst")
	eachPair(v, Load(Param("dy").Len(), GP64()), func(windows, elements mask, i Register) {
		a, b := elements.load(pairAt(top, i)), elements.load(pairAt(bottom, i))
		largest := f.largestOfWindow(a, b)
		isTop, isBottom := f.isLargest(a, largest), f.isLargest(b, largest)
		g := v.pairs(windows.loadHalf(Mem{Base: dy, Index: i, Scale: 4}))
		elements.store(v.and(g, v.without(isTop, v.evenToOdd(isTop))), pairAt(dTop, i))
		inTop := v.or(isTop, v.swapPairs(isTop))
		isBottom = v.without(v.without(isBottom, v.evenToOdd(isBottom)), inTop)
		elements.store(v.and(g, isBottom), pairAt(dBottom, i))
	})
}

// windowRows returns pointers to the two rows of the windows.
func windowRows(name string) (top, bottom Register) {
	top, bottom = Load(Param(name).Base(), GP64()), Load(Param("w"), GP64())
	LEAQ(Mem{Base: top, Index: bottom, Scale: 4}, bottom)
	return top, bottom
}

func pairAt(base, i Register) Mem { return Mem{Base: base, Index: i, Scale: 8} }

// largestOfWindow returns the largest element of each window in both lanes of the window.
func (f formulas) largestOfWindow(a, b Register) Register {
	m := f.max(a, b)
	return f.max(m, f.swapPairs(m))
}

// isLargest is all ones where x is the largest element of its window, or its NaN.
func (f formulas) isLargest(x, largest Register) Register {
	ones := f.bits(0xffffffff)
	return f.pick(equal, x, largest, ones, f.pick(unordered, x, x, ones, f.zero()))
}

// eachPair emits body for n windows, half a vector of them at a time. windows is their mask, elements the
// mask of a row of their elements.
func eachPair(v isa, n Register, body func(windows, elements mask, i Register)) {
	i, half := GP64(), U8(v.lanes()/2)
	XORQ(i, i)
	SUBQ(half, n)
	JL(LabelRef("tail"))
	Label("loop")
	body(whole{v}, whole{v}, i)
	ADDQ(half, i)
	SUBQ(half, n)
	JGE(LabelRef("loop"))
	Label("tail")
	ADDQ(half, n)
	JZ(LabelRef("done"))
	elements := GP64()
	LEAQ(Mem{Base: n, Index: n, Scale: 1}, elements)
	body(v.first(n), v.first(elements), i)
	Label("done")
	VZEROUPPER()
	RET()
}
