package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
	"github.com/bbgen/bbgen/runtime/cpu/_asm/vex"
)

var depthType = kernels.StructOf("depthTile")

// Offsets of depthTile's fields.
var (
	offImage   = depthType.Offset("image")
	offTaps    = depthType.Offset("taps")
	offWeights = depthType.Offset("weights")
	offTo      = depthType.Offset("to")
	offFours   = depthType.Offset("fours")
	offPixels  = depthType.Offset("pixels")
	offFrom    = depthType.Offset("from")
	offStep    = depthType.Offset("step")
)

// depth is a micro-kernel of filters of one channel each, for a number of channels. Unpacking makes the
// inputs of four taps of a channel adjacent: then accumulator i has channels 4i to 4i+3 of each 16.
type depth struct {
	isa   string
	width int
}

func (g depth) vec() VecVirtual {
	switch g.width {
	case 64:
		return ZMM()
	case 32:
		return YMM()
	}
	return XMM()
}

func (g depth) emit() {
	field := begin(fmt.Sprintf("depth%d%s", g.width, g.isa), fmt.Sprintf("filters of one channel each, of %d channels", g.width), "depthTile")
	x, taps, weights, to := field(offImage), field(offTaps), field(offWeights), field(offTo)
	fours, pixels, from, step := field(offFours), field(offPixels), field(offFrom), field(offStep)
	tap, w, left, at := GP64(), GP64(), GP64(), GP64()

	Label("pixel")
	MOVQ(taps, tap)
	MOVQ(weights, w)
	MOVQ(fours, left)
	var acc [4]VecVirtual
	for i := range acc {
		acc[i] = g.vec()
		if g.width == 64 {
			VPXORD(acc[i], acc[i], acc[i])
		} else {
			VPXOR(acc[i], acc[i], acc[i])
		}
	}
	Label("four")
	var t [4]VecVirtual
	for i := range t {
		t[i] = g.vec()
		MOVQ(Mem{Base: tap, Disp: 8 * i}, at)
		VMOVUPS(Mem{Base: x, Index: at, Scale: 1}, t[i])
	}
	two := func(op func(...Op), x, y VecVirtual) VecVirtual {
		v := g.vec()
		op(y, x, v)
		return v
	}
	lo01, hi01 := two(VPUNPCKLBW, t[0], t[1]), two(VPUNPCKHBW, t[0], t[1])
	lo23, hi23 := two(VPUNPCKLBW, t[2], t[3]), two(VPUNPCKHBW, t[2], t[3])
	for i, q := range []VecVirtual{
		two(VPUNPCKLWD, lo01, lo23), two(VPUNPCKHWD, lo01, lo23), two(VPUNPCKLWD, hi01, hi23), two(VPUNPCKHWD, hi01, hi23),
	} {
		g.dot(q, Mem{Base: w, Disp: 64 * i}, acc[i])
	}
	ADDQ(U8(32), tap)
	ADDQ(U32(256), w)
	DECQ(left)
	JNZ(LabelRef("four"))
	for i, v := range g.inOrder(acc) {
		VMOVUPS(v, Mem{Base: to, Disp: g.width * i})
	}
	ADDQ(from, x)
	ADDQ(step, to)
	DECQ(pixels)
	JNZ(LabelRef("pixel"))
	VZEROUPPER()
	RET()
}

// dot adds the products of four bytes of x, unsigned, and of weights to each lane of acc.
func (g depth) dot(x VecVirtual, weights Mem, acc VecVirtual) {
	if g.isa == "VNNI" {
		VPDPBUSD(weights, x, acc)
		return
	}
	if g.isa == "VNNI256" {
		w := g.vec()
		VMOVUPS(weights, w)
		vex.VPDPBUSD(w, x, acc)
		return
	}
	even, p, w := g.vec(), g.vec(), g.vec()
	split(x, even)
	evenWords(weights, w)
	VPMADDWD(w, even, p)
	VPADDD(p, acc, acc)
	oddWords(weights, w)
	VPMADDWD(w, x, p)
	VPADDD(p, acc, acc)
}

// inOrder returns the accumulators with their channels in order.
func (g depth) inOrder(acc [4]VecVirtual) []VecVirtual {
	lanes := func(imm uint8, x, y VecVirtual) VecVirtual {
		v := g.vec()
		if g.width == 64 {
			VSHUFI32X4(U8(imm), y, x, v)
		} else {
			VPERM2I128(U8(imm), y, x, v)
		}
		return v
	}
	switch g.width {
	case 64:
		a, b := lanes(0x44, acc[0], acc[1]), lanes(0x44, acc[2], acc[3])
		c, d := lanes(0xee, acc[0], acc[1]), lanes(0xee, acc[2], acc[3])
		return []VecVirtual{lanes(0x88, a, b), lanes(0xdd, a, b), lanes(0x88, c, d), lanes(0xdd, c, d)}
	case 32:
		return []VecVirtual{lanes(0x20, acc[0], acc[1]), lanes(0x20, acc[2], acc[3]), lanes(0x31, acc[0], acc[1]), lanes(0x31, acc[2], acc[3])}
	}
	return acc[:]
}
