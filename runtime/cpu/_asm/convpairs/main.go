// Command convpairs writes convpairs_amd64.s: the kernels for pairs of groups of eight channels and eight filters.
//
// A tile is a number of pixels of each of some lines. A lane of its sums is a filter of one of the two groups, so no lane
// is empty. For that a filter does not begin with the first channel, but with the one of its own number: in turn r, filter
// f multiplies channel (f+r)%8. The channels of such a turn are adjacent floats of an image in which the channels of the
// two groups alternate, and follow each other twice. A vector of them is read once for the three taps of a line, as
// vectors that cross a cache line are read at half the speed.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

var tile = kernels.StructOf("pairTile")

// Offsets of pairTile's fields, which are pointers and bytes.
var (
	offX     = tile.Offset("x")
	offW     = tile.Offset("w")
	offDst   = tile.Offset("dst")
	offBias  = tile.Offset("bias")
	offXLine = tile.Offset("xLine")
	offXStep = tile.Offset("xStep")
	offPixel = tile.Offset("pixel")
	offLine  = tile.Offset("line")
	offTaps  = tile.Offset("taps")
	offRelu  = tile.Offset("relu")
)

const (
	channels = 8                  // of a group
	pixel    = 2 * 2 * 4 * 8      // bytes of a pixel of the image, which has the channels of two groups twice
	turn     = 2 * 4              // bytes from the channels of a turn to those of the next
	filters  = 2 * 4 * 8          // bytes of the filters of a turn
	tap      = filters * channels // bytes of the filters of a tap
	width    = 3                  // taps of a line
)

func main() {
	kernels.Begin()
	for _, v := range []isa{
		{"AVX512", 16, func() VecVirtual { return ZMM() }, [][2]int{{1, 16}, {1, 14}, {2, 8}, {2, 7}, {4, 4}, {1, 4}}},
		{"AVX2", 8, func() VecVirtual { return YMM() }, [][2]int{{1, 8}, {1, 7}, {2, 4}, {1, 4}}},
	} {
		for _, t := range v.tiles {
			for stride := 1; stride <= 2; stride++ {
				kernel{v, t[0], t[1], stride}.emit()
			}
		}
		v.alternate()
	}
	Generate()
}

// isa is an instruction set. With vectors of eight lanes, a kernel computes four filters of each group.
type isa struct {
	name  string
	lanes int
	vec   func() VecVirtual
	tiles [][2]int // lines and pixels
}

// kernel computes a tile of lines×pixels, whose patches are stride pixels apart in a line.
type kernel struct {
	isa
	lines, pixels, stride int
}

func (k kernel) emit() {
	name := fmt.Sprintf("pairs%dLines%dStride%d%s", k.lines, k.pixels, k.stride, k.name)
	kernels.Text(name, "func(t *pairTile)")
	Doc(fmt.Sprintf("%s is the kernel for %d lines of %d pixels, whose patches are %d pixels apart.", name, k.lines, k.pixels, k.stride))
	t := Load(Param("t"), GP64())
	field := func(off int) Register {
		r := GP64()
		MOVQ(Mem{Base: t, Disp: off}, r)
		return r
	}
	sums := make([][]VecVirtual, k.lines)
	for i := range sums {
		for range k.pixels {
			v := k.vec()
			k.zero(v)
			sums[i] = append(sums[i], v)
		}
	}
	k.sum(field, sums)
	k.end(field, sums)
	VZEROUPPER()
	RET()
}

func (v isa) zero(x VecVirtual) {
	if v.lanes == 16 {
		VPXORD(x, x, x)
	} else {
		VXORPS(x, x, x)
	}
}

// sum adds the products, line by line of the window and turn by turn.
func (k kernel) sum(field func(int) Register, sums [][]VecVirtual) {
	x := []Register{field(offX)}
	if k.lines > 1 {
		step := field(offXStep)
		for i := 1; i < k.lines; i++ {
			r := GP64()
			LEAQ(Mem{Base: x[i-1], Index: step, Scale: 1}, r)
			x = append(x, r)
		}
	}
	w, next, taps, left := field(offW), field(offXLine), field(offTaps), GP64()
	SUBQ(U8(turn*channels), next)
	Label("line")
	MOVQ(U32(channels), left)
	Label("turn")
	var weights [width]VecVirtual
	for i := range weights {
		weights[i] = k.vec()
		VMOVUPS(Mem{Base: w, Disp: i * tap}, weights[i])
	}
	for i := range x {
		k.turn(x[i], weights[:], sums[i])
	}
	for _, r := range x {
		ADDQ(U8(turn), r)
	}
	ADDQ(U8(filters), w)
	DECQ(left)
	JNZ(LabelRef("turn"))
	for _, r := range x {
		ADDQ(next, r)
	}
	ADDQ(U32((width-1)*tap), w)
	DECQ(taps)
	JNZ(LabelRef("line"))
}

// turn adds the products of a line of pixels in a turn.
func (k kernel) turn(x Register, weights, sums []VecVirtual) {
	for j := range (k.pixels-1)*k.stride + width {
		at := Mem{Base: x, Disp: j * pixel}
		type product struct{ sum, weight VecVirtual }
		var all []product
		for i, w := range weights {
			if p := (j - i) / k.stride; j >= i && (j-i)%k.stride == 0 && p < k.pixels {
				all = append(all, product{sums[p], w})
			}
		}
		if len(all) == 1 {
			VFMADD231PS(at, all[0].weight, all[0].sum)
			continue
		}
		v := k.vec()
		VMOVUPS(at, v)
		for _, p := range all {
			VFMADD231PS(v, p.weight, p.sum)
		}
	}
}

// end separates the groups, adds the bias, applies Relu and stores the sums.
func (k kernel) end(field func(int) Register, sums [][]VecVirtual) {
	each := func(f func(v VecVirtual)) {
		for _, line := range sums {
			for _, v := range line {
				f(v)
			}
		}
	}
	order := k.vec()
	VMOVUPS(k.order("Apart", 2), order)
	each(func(v VecVirtual) { VPERMPS(v, order, v) })

	bias := field(offBias)
	TESTQ(bias, bias)
	JZ(LabelRef("relu"))
	b := k.vec()
	if k.lanes == 16 {
		VMOVUPS(Mem{Base: bias}, b)
	} else {
		VMOVUPS(Mem{Base: bias}, b.AsX())
		VINSERTF128(U8(1), Mem{Base: bias, Disp: 4 * channels}, b, b)
	}
	each(func(v VecVirtual) { VADDPS(b, v, v) })

	Label("relu")
	relu := field(offRelu)
	TESTQ(relu, relu)
	JZ(LabelRef("store"))
	zero := k.vec()
	k.zero(zero)
	each(func(v VecVirtual) { VMAXPS(v, zero, v) }) // v where it is NaN

	Label("store")
	dst, step, line := field(offDst), field(offPixel), field(offLine)
	for i := range sums {
		at := GP64()
		MOVQ(dst, at)
		for j, v := range sums[i] {
			k.store(v, at)
			if j+1 < k.pixels {
				ADDQ(step, at)
			}
		}
		if i+1 < k.lines {
			ADDQ(line, dst)
		}
	}
}

// store stores filters of the two groups.
func (v isa) store(x VecVirtual, at Register) {
	if v.lanes == 16 {
		VMOVUPS(x, Mem{Base: at})
		return
	}
	VMOVUPS(x.AsX(), Mem{Base: at})
	VEXTRACTF128(U8(1), x, Mem{Base: at, Disp: 4 * channels})
}

// order addresses the order of lanes in which lanes i, i+n, i+2n, … of a vector are adjacent.
func (v isa) order(name string, n int) Mem {
	name = "pairs" + name + v.name
	m, ok := orders[name]
	if ok {
		return m
	}
	m = GLOBL(name, RODATA|NOPTR)
	orders[name] = m
	for i := range v.lanes {
		DATA(4*i, U32(i*n%v.lanes+i*n/v.lanes))
	}
	return m
}

var orders = map[string]Mem{}

// alternate emits the copying of n > 0 pixels of two groups, step floats apart.
func (v isa) alternate() {
	kernels.AtLevel("alternate", v.name, "func(dst, x *float32, n, step int)")
	Doc("alternate" + v.name + " copies n pixels of two groups, whose channels alternate in dst, twice.")
	dst, x := Load(Param("dst"), GP64()), Load(Param("x"), GP64())
	n, step := Load(Param("n"), GP64()), Load(Param("step"), GP64())
	SHLQ(U8(2), step)
	var order VecVirtual
	if v.lanes == 16 {
		order = ZMM()
		VMOVUPS(v.order("Together", channels), order)
	}
	Label("pixel")
	var all []VecVirtual
	if v.lanes == 16 {
		y := ZMM()
		VPERMPS(Mem{Base: x}, order, y)
		all = append(all, y)
	} else {
		all = alternate8(x)
	}
	for i := range 2 * len(all) {
		VMOVUPS(all[i%len(all)], Mem{Base: dst, Disp: 4 * v.lanes * i})
	}
	ADDQ(step, x)
	SUBQ(I8(-pixel), dst)
	DECQ(n)
	JNZ(LabelRef("pixel"))
	VZEROUPPER()
	RET()
}

// alternate8 returns the channels of two groups, which alternate.
func alternate8(x Register) []VecVirtual {
	a, b, low, high := YMM(), YMM(), YMM(), YMM()
	VMOVUPS(Mem{Base: x}, a)
	VMOVUPS(Mem{Base: x, Disp: 4 * channels}, b)
	VUNPCKLPS(b, a, low)  // a0 b0 a1 b1, a4 b4 a5 b5
	VUNPCKHPS(b, a, high) // a2 b2 a3 b3, a6 b6 a7 b7
	VPERM2I128(U8(0x20), high, low, a)
	VPERM2I128(U8(0x31), high, low, b)
	return []VecVirtual{a, b}
}
