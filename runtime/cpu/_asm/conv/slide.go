package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

// Offsets of tapRun's fields that only these kernels read.
var (
	offLeft   = runType.Offset("left")
	offRight  = runType.Offset("right")
	offPixels = runType.Offset("pixels")
)

// maxSlide is the maximum number of pixels of a kernel.
const maxSlide = 8

// slide is a kernel for the weighted windows of up to maxSlide neighboring pixels, for a vector of channels
// at a time. It iterates over the columns in the windows of a line and loads each once for all windows that
// contain it. Windows may reach beyond the image on both sides, by at most half of their taps.
type slide struct {
	isa
	taps, step int // of a line of a window, and from one window to the next
}

func (g slide) emit() {
	name := fmt.Sprintf("slide%dStep%d%s", g.taps, g.step, g.name())
	kernels.Text(name, "func(t *tapRun)")
	Doc(fmt.Sprintf("%s folds the windows of up to %d pixels, %d taps wide and %d apart.", name, maxSlide, g.taps, g.step))
	t := Mem{Base: Load(Param("t"), GP64())}
	for pixels := maxSlide; pixels > 1; pixels-- {
		CMPQ(t.Offset(offPixels), U8(pixels))
		JE(LabelRef(fmt.Sprintf("pixels%d", pixels)))
	}
	for pixels := 1; pixels <= maxSlide; pixels++ {
		slideBody{g, t, pixels}.emit()
	}
}

// slideBody is the part of the kernel for a number of pixels.
type slideBody struct {
	slide
	t      Mem
	pixels int
}

// label is a name of a place in the body.
func (g slideBody) label(name string) string { return fmt.Sprintf("%s%d", name, g.pixels) }

// columns returns the number of columns in the windows of all pixels.
func (g slideBody) columns() int { return (g.pixels-1)*g.step + g.taps }

// margin returns the number of columns by which windows may reach beyond the image.
func (g slideBody) margin() int { return g.taps / 2 }

func (g slideBody) field(off int) GPVirtual {
	r := GP64()
	MOVQ(g.t.Offset(off), r)
	return r
}

// multiplesOf addresses memory that is fewer than n of a field's steps after a pointer.
func (g slideBody) multiplesOf(off, n int) func(base Register, i int) Mem {
	step := g.field(off)
	bytes(step)
	return multiples(step, n)
}

func (g slideBody) emit() {
	Label(g.label("pixels"))
	c := GP64() // of the present vector, in bytes
	XORQ(c, c)
	acc := make([]Register, g.pixels)
	for i := range acc {
		acc[i] = g.vec()
	}
	weight := g.multiplesOf(offWTap, g.taps)
	column := g.multiplesOf(offXTap, 5)
	Label(g.label("vector"))
	bias := g.field(offBias)
	load(Mem{Base: bias, Index: c, Scale: 1}, acc[0])
	for _, v := range acc[1:] {
		VMOVAPS(acc[0], v)
	}
	g.sum(c, acc, weight, column)
	g.clamp(acc)
	dst, step := g.field(offDst), g.field(offDPixel)
	ADDQ(c, dst)
	for i, v := range acc {
		store(v, Mem{Base: dst})
		if i < len(acc)-1 {
			LEAQ(Mem{Base: dst, Index: step, Scale: 4}, dst)
		}
	}
	last := g.field(offChannels)
	bytes(last)
	SUBQ(U32(4*g.lanes()), last)
	CMPQ(c, last)
	JGE(LabelRef(g.label("done")))
	ADDQ(U32(4*g.lanes()), c)
	CMPQ(c, last)
	CMOVQGT(last, c)
	JMP(LabelRef(g.label("vector")))
	Label(g.label("done"))
	VZEROUPPER()
	RET()
}

// sum iterates over the rows of the windows.
func (g slideBody) sum(c Register, acc []Register, weight, column func(Register, int) Mem) {
	xRow, wRow, rows := g.field(offX), g.field(offW), g.field(offRows)
	ADDQ(c, xRow)
	ADDQ(c, wRow)
	outside, tap := g.field(offLeft), g.field(offXTap) // x is the first column inside
	bytes(tap)
	IMULQ(tap, outside)
	SUBQ(outside, xRow)

	Label(g.label("row"))
	w := make([]Register, g.taps)
	for k := range w {
		w[k] = g.vec()
		load(weight(wRow, k), w[k])
	}
	x := GP64()
	MOVQ(xRow, x)
	left := g.t.Offset(offLeft)
	for skip := g.margin(); skip > 0; skip-- {
		CMPQ(left, U8(skip))
		JGE(LabelRef(g.label(fmt.Sprintf("column%d_", skip))))
	}
	g.row(x, w, acc, column)
	Label(g.label("nextRow"))
	step := g.field(offXRow)
	LEAQ(Mem{Base: xRow, Index: step, Scale: 4}, xRow)
	step = g.field(offWRow)
	LEAQ(Mem{Base: wRow, Index: step, Scale: 4}, wRow)
	DECQ(rows)
	JNZ(LabelRef(g.label("row")))
}

// row adds each column of a line to the sums of the windows that contain it.
func (g slideBody) row(x Register, w, acc []Register, column func(Register, int) Mem) {
	const block = 4
	right := g.t.Offset(offRight)
	for j := range g.columns() {
		if j > 0 && j <= g.margin() {
			Label(g.label(fmt.Sprintf("column%d_", j)))
		}
		if behind := g.columns() - j; behind <= g.margin() {
			CMPQ(right, U8(behind))
			JGE(LabelRef(g.label("nextRow")))
		}
		var in []int // windows
		for i := range acc {
			if k := j - i*g.step; k >= 0 && k < g.taps {
				in = append(in, i)
			}
		}
		at := column(x, j%block)
		switch len(in) {
		case 0:
		case 1:
			fma(at, w[j-in[0]*g.step], acc[in[0]])
		default:
			v := g.vec()
			load(at, v)
			for _, i := range in {
				VFMADD231PS(v, w[j-i*g.step], acc[i])
			}
		}
		if j%block == block-1 && j < g.columns()-1 {
			x4 := column(x, block)
			LEAQ(x4, x)
		}
	}
}

// clamp limits sums to the bounds, if there are any.
func (g slideBody) clamp(acc []Register) {
	for _, bound := range []struct {
		name string
		off  int
		none uint32
		to   func(bound, v Register)
	}{
		{"low", offLow, 0xff800000, atLeast},
		{"high", offHigh, 0x7f800000, atMost},
	} {
		bits := GP32()
		MOVL(g.t.Offset(bound.off), bits)
		CMPL(bits, U32(bound.none))
		JE(LabelRef(g.label(bound.name)))
		b := g.vec()
		broadcast(g.t.Offset(bound.off), b)
		for _, v := range acc {
			bound.to(b, v)
		}
		Label(g.label(bound.name))
	}
}
