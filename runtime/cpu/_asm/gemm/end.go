package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

// sums returns the registers of the sums: acc[i][j] is row i's j-th vector; panel p's vectors follow those of p-1. They
// are the same in all kernels with as many, which end with the same code.
func (g kernel) sums() [][]Register {
	acc := make([][]Register, g.rows)
	for i := range acc {
		for j := range g.panels * g.vecs {
			acc[i] = append(acc[i], g.register(i*g.panels*g.vecs+j))
		}
	}
	return acc
}

// finish ends a kernel with a jump to the code that the kernels with as many sums have in common. That is half of each:
// a convolution links those of tiles, runs and lines.
func (g kernel) finish(acc [][]Register) {
	name := fmt.Sprintf("finish%dx%d%s", g.rows, g.panels*g.vecs*g.lanes(), g.name())
	if !seen[name] {
		seen[name] = true
		endings = append(endings, ending{name, g})
	}
	var sums []Register
	for _, row := range acc {
		sums = append(sums, row...)
	}
	kernels.GoTo(name, sums)
}

// ending is the end of the kernels with as many sums as g.
type ending struct {
	name string
	g    kernel
}

var (
	endings []ending
	seen    = map[string]bool{}
)

// ends emits the endings of the kernels.
func ends() {
	for _, e := range endings {
		kernels.Part(e.name, "func(t *gemmTile)")
		Doc(e.name + " is the end of the micro-kernels with these rows and columns, which jump to it with their sums in registers.")
		t := Load(Param("t"), GP64())
		field := func(off int) Register {
			r := GP64()
			MOVQ(Mem{Base: t, Disp: off}, r)
			return r
		}
		e.g.end(field, e.g.sums())
		VZEROUPPER()
		RET()
	}
}

// end adds bias and res, applies an activation, and stores the sums.
func (g kernel) end(field func(int) Register, acc [][]Register) {
	flags := field(offFlags)
	SHRQ(U8(1), flags)
	JZ(LabelRef("store"))

	SHRQ(U8(1), flags)
	JCC(LabelRef("res"))
	g.eachMasked("bias", field, func(load func(Mem, Register), _ func(Register, Mem), from, to int) {
		bias := field(offBias)
		for j := from; j < to; j++ {
			x := g.vec()
			load(Mem{Base: bias, Disp: j * g.lanes() * 4}, x)
			for i := range acc {
				g.add(x, acc[i][j])
			}
		}
	})

	Label("res")
	SHRQ(U8(1), flags)
	JCC(LabelRef("relu"))
	g.eachMasked("resAdd", field, func(load func(Mem, Register), _ func(Register, Mem), from, to int) {
		res, ldc := field(offRes), field(offLDC)
		SHLQ(U8(2), ldc)
		for i := range acc {
			for j := from; j < to; j++ {
				x := g.vec()
				load(Mem{Base: res, Disp: j * g.lanes() * 4}, x)
				g.add(x, acc[i][j])
			}
			if i < len(acc)-1 {
				ADDQ(ldc, res)
			}
		}
	})

	Label("relu")
	zero := g.vec()
	g.zero(zero)
	SHRQ(U8(1), flags)
	JCC(LabelRef("relu6"))
	for _, row := range acc {
		for _, v := range row {
			g.relu(v, zero)
		}
	}

	Label("relu6")
	SHRQ(U8(1), flags)
	JCC(LabelRef("hardSwish"))
	six := g.vec()
	g.load(constants.At(6), six)
	for _, row := range acc {
		for _, v := range row {
			g.relu(v, zero)
			VMINPS(v, six, v) // v where it is NaN
		}
	}

	Label("hardSwish")
	SHRQ(U8(1), flags)
	JCC(LabelRef("store"))
	for _, row := range acc {
		for _, v := range row {
			gate := g.vec()
			g.load(constants.At(0.5), gate)
			VFMADD231PS(constants.At(1./6), v, gate)
			VMINPS(constants.At(1), gate, gate)
			VMAXPS(zero, gate, gate)
			VMULPS(gate, v, v)
		}
	}

	Label("store")
	g.eachMasked("store", field, func(_ func(Mem, Register), store func(Register, Mem), from, to int) {
		c, ldc := field(offC), field(offLDC)
		SHLQ(U8(2), ldc)
		for i := range acc {
			for j := from; j < to; j++ {
				store(acc[i][j], Mem{Base: c, Disp: j * g.lanes() * 4})
			}
			if i < len(acc)-1 {
				ADDQ(ldc, c)
			}
		}
	})
}
