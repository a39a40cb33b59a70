package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

var runType = kernels.StructOf("tapRun")

// Offsets of tapRun's fields.
var (
	offDst      = runType.Offset("dst")
	offX        = runType.Offset("x")
	offW        = runType.Offset("w")
	offBias     = runType.Offset("bias")
	offChannels = runType.Offset("channels")
	offRows     = runType.Offset("rows")
	offTaps     = runType.Offset("taps")
	offXRow     = runType.Offset("xRow")
	offXTap     = runType.Offset("xTap")
	offXPixel   = runType.Offset("xPixel")
	offWRow     = runType.Offset("wRow")
	offWTap     = runType.Offset("wTap")
	offDPixel   = runType.Offset("dPixel")
	offLow      = runType.Offset("low")
	offHigh     = runType.Offset("high")
	offCount    = runType.Offset("count")
)

// fold is the operation that combines the elements of a window.
type fold string

const (
	weighted fold = "tapsFMA"
	largest  fold = "tapsMax"
	total    fold = "tapsSum"
)

// taps is a kernel that folds the windows of a few output pixels, for a vector of channels at a time. The
// last vector ends with the last channel; it may overlap the previous one.
type taps struct {
	isa
	fold
	pixels int
}

func (g taps) emit() {
	name := fmt.Sprintf("%s%d%s", g.fold, g.pixels, g.name())
	kernels.Text(name, "func(t *tapRun)")
	Doc(fmt.Sprintf("%s folds the windows of %d pixels.", name, g.pixels))
	t := Mem{Base: Load(Param("t"), GP64())}
	c := GP64() // of the present vector, in bytes
	XORQ(c, c)
	acc := make([]Register, g.pixels)
	for i := range acc {
		acc[i] = g.vec()
	}
	Label("vector")
	g.start(t, c, acc)
	g.sum(t, c, acc)
	g.finish(t, c, acc)
	last := GP64()
	MOVQ(t.Offset(offChannels), last)
	bytes(last)
	SUBQ(U32(4*g.lanes()), last)
	CMPQ(c, last)
	JGE(LabelRef("done"))
	ADDQ(U32(4*g.lanes()), c)
	CMPQ(c, last)
	CMOVQGT(last, c)
	JMP(LabelRef("vector"))
	Label("done")
	VZEROUPPER()
	RET()
}

// start sets the initial values of the folds.
func (g taps) start(t Mem, c Register, acc []Register) {
	switch g.fold {
	case weighted:
		bias := GP64()
		MOVQ(t.Offset(offBias), bias)
		load(Mem{Base: bias, Index: c, Scale: 1}, acc[0])
	case largest:
		broadcast(t.Offset(offLow), acc[0])
	case total:
		g.zero(acc[0])
	}
	for _, v := range acc[1:] {
		VMOVAPS(acc[0], v)
	}
}

// sum iterates over the rows and taps of the window. A sum is the sum of the sums of its rows.
func (g taps) sum(t Mem, c Register, acc []Register) {
	field := func(off int) GPVirtual {
		r := GP64()
		MOVQ(t.Offset(off), r)
		return r
	}
	forward := func(p Register, by Register) { LEAQ(Mem{Base: p, Index: by, Scale: 4}, p) }
	pixel := field(offXPixel)
	bytes(pixel)
	at := multiples(pixel, g.pixels)
	xRow, wRow := field(offX), GPVirtual(nil)
	ADDQ(c, xRow)
	xTap, wTap := field(offXTap), GPVirtual(nil)
	if g.fold == weighted {
		wRow, wTap = field(offW), field(offWTap)
		ADDQ(c, wRow)
	}
	into := acc
	if g.fold == total {
		into = make([]Register, len(acc))
		for i := range into {
			into[i] = g.vec()
		}
	}
	rows := field(offRows)
	Label("row")
	x, w := GP64(), GP64()
	MOVQ(xRow, x)
	if g.fold == weighted {
		MOVQ(wRow, w)
	}
	if g.fold == total {
		for _, v := range into {
			g.zero(v)
		}
	}
	n := field(offTaps)
	Label("tap")
	switch g.fold {
	case weighted:
		v := g.vec()
		load(Mem{Base: w}, v)
		for i := range into {
			fma(at(x, i), v, into[i])
		}
		forward(w, wTap)
	case largest:
		for i := range into {
			g.larger(at(x, i), into[i])
		}
	case total:
		for i := range into {
			add(at(x, i), into[i])
		}
	}
	forward(x, xTap)
	DECQ(n)
	JNZ(LabelRef("tap"))
	forward(xRow, field(offXRow))
	if g.fold == weighted {
		forward(wRow, field(offWRow))
	}
	if g.fold == total {
		for i := range into {
			add(into[i], acc[i])
		}
	}
	DECQ(rows)
	JNZ(LabelRef("row"))
}

// finish limits or divides the folds and stores them.
func (g taps) finish(t Mem, c Register, acc []Register) {
	switch g.fold {
	case weighted:
		low, high := g.vec(), g.vec()
		broadcast(t.Offset(offLow), low)
		broadcast(t.Offset(offHigh), high)
		for _, v := range acc {
			atLeast(low, v)
			atMost(high, v)
		}
	case total:
		count := g.vec()
		broadcast(t.Offset(offCount), count)
		for _, v := range acc {
			div(count, v)
		}
	}
	dst, step := GP64(), GP64()
	MOVQ(t.Offset(offDst), dst)
	MOVQ(t.Offset(offDPixel), step)
	ADDQ(c, dst)
	for i, v := range acc {
		store(v, Mem{Base: dst})
		if i < len(acc)-1 {
			LEAQ(Mem{Base: dst, Index: step, Scale: 4}, dst)
		}
	}
}

// multiples addresses memory that is up to n-1 steps after a pointer, or seven.
func multiples(step GPVirtual, n int) func(base Register, i int) Mem {
	odd := map[int]GPVirtual{1: step}
	if n > 2 {
		odd[3] = GP64()
		LEAQ(Mem{Base: step, Index: step, Scale: 2}, odd[3])
	}
	if n > 5 {
		odd[5] = GP64()
		LEAQ(Mem{Base: step, Index: step, Scale: 4}, odd[5])
	}
	if n > 7 {
		odd[7] = GP64()
		LEAQ(Mem{Base: odd[3], Index: step, Scale: 4}, odd[7])
	}
	return func(base Register, i int) Mem {
		if i == 0 {
			return Mem{Base: base}
		}
		scale := 1
		for i%2 == 0 {
			i, scale = i/2, scale*2
		}
		return Mem{Base: base, Index: odd[i], Scale: uint8(scale)}
	}
}
