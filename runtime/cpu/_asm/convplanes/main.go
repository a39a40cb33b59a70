// Command convplanes writes convplanes_amd64.s: the kernels of first convolutions, which read the planes of an image.
//
// A tile is a number of pixels. A lane of its sums is a filter, and all sums stay in registers for the whole window. Each
// float of a plane is read where it is, into all lanes. The distance of pixels is an argument: a tile may be a part of a line
// of the result or of a column, or have one pixel as often as there are sums.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
	"github.com/bbgen/bbgen/runtime/cpu/_asm/rows"
)

var (
	tile = kernels.StructOf("planeTile")
	line = kernels.StructOf("planeLine")
)

// Offsets of the fields of planeTile and planeLine.
var (
	offX     = tile.Offset("x")
	offW     = tile.Offset("w")
	offBias  = tile.Offset("bias")
	offDst   = tile.Offset("dst")
	offLines = tile.Offset("lines")
	offCount = tile.Offset("count")
	offTaps  = tile.Offset("taps")
	offStep  = tile.Offset("step")
	offPixel = tile.Offset("pixel")
	offAt    = tile.Offset("at")
	offTo    = tile.Offset("to")
	offTiles = tile.Offset("tiles")
	offAct   = tile.Offset("act")

	offLineX = line.Offset("x")
	offLineW = line.Offset("w")
	lineSize = line.Size()
)

// panel is the bytes of a tap's filters, of which a kernel reads the first.
const panel = 4 * 32

var constants = kernels.NewConstants("planesConsts")

func main() {
	kernels.Begin()
	for _, pixels := range []int{14, 4} {
		kernel{level512, []vector{zmm, zmm}, pixels}.emit()
		kernel{level512, []vector{zmm, ymm}, pixels}.emit()
	}
	for _, pixels := range []int{16, 4} {
		kernel{level512, []vector{zmm}, pixels}.emit()
		kernel{level512, []vector{ymm}, pixels}.emit()
	}
	for _, pixels := range []int{6, 4} {
		kernel{level256, []vector{ymm, ymm}, pixels}.emit()
	}
	for _, pixels := range []int{12, 4} {
		kernel{level256, []vector{ymm}, pixels}.emit()
	}
	constants.Emit()
	Generate()
}

// Levels.
const (
	level512 = "AVX512"
	level256 = "AVX2"
)

// vector is the kind of a vector, by its lanes.
type vector int

const (
	ymm vector = 8
	zmm vector = 16
)

func (v vector) register() VecVirtual {
	if v == zmm {
		return ZMM()
	}
	return YMM()
}

// sum returns the register of a sum. Those before it are for all else: instructions with two of the first 16 are shorter.
func (v vector) sum(i int) Register {
	const others = 4
	if v == zmm {
		return LookupPhysical(KindVector, Index(others+i), S512)
	}
	return LookupPhysical(KindVector, Index(others+i), S256)
}

// of returns the part of a register of the first vector that has this vector's lanes.
func (v vector) of(x VecVirtual) Register {
	if v == ymm {
		return x.AsY()
	}
	return x
}

// kernel computes tiles of pixels. A lane of its sums is a filter; no vector is longer than the first.
type kernel struct {
	level   string
	vectors []vector
	pixels  int
}

// offset returns the bytes before vector j of the filters.
func (k kernel) offset(j int) (bytes int) {
	for _, v := range k.vectors[:j] {
		bytes += 4 * int(v)
	}
	return bytes
}

func (k kernel) emit() {
	filters := k.offset(len(k.vectors)) / 4
	name := fmt.Sprintf("planes%dx%d%s", k.pixels, filters, k.level)
	kernels.Text(name, "func(t *planeTile)")
	Doc(fmt.Sprintf("%s computes tiles of %d pixels, one after the other, for %d filters.", name, k.pixels, filters))
	t := Load(Param("t"), GP64())
	field := func(off int) Register {
		r := GP64()
		MOVQ(Mem{Base: t, Disp: off}, r)
		return r
	}
	Label("tile")
	sums := k.begin(field(offBias))
	k.sum(field, sums)
	activate(field(offAct), sums)
	dst := field(offTo)
	ADDQ(field(offDst), dst)
	k.store(dst, field(offPixel), sums)
	advance := func(step, offset int) {
		by := GP64()
		MOVQ(U32(k.pixels), by)
		IMULQ(Mem{Base: t, Disp: step}, by)
		ADDQ(by, Mem{Base: t, Disp: offset})
	}
	advance(offStep, offAt)
	advance(offPixel, offTo)
	DECQ(Mem{Base: t, Disp: offTiles})
	JNZ(LabelRef("tile"))
	VZEROUPPER()
	RET()
}

// begin returns the sums, which begin with the bias.
func (k kernel) begin(bias Register) (sums [][]Register) {
	for i := range k.pixels {
		sums = append(sums, nil)
		for j, v := range k.vectors {
			x := v.sum(i*len(k.vectors) + j)
			if i == 0 {
				VMOVUPS(Mem{Base: bias, Disp: k.offset(j)}, x)
			} else {
				VMOVAPS(sums[0][j], x)
			}
			sums[i] = append(sums[i], x)
		}
	}
	return sums
}

// sum adds the products, line by line of the window.
func (k kernel) sum(field func(int) Register, sums [][]Register) {
	count := field(offCount)
	TESTQ(count, count)
	JZ(LabelRef("summed"))
	lines, step, first := field(offLines), field(offStep), field(offX)
	ADDQ(field(offAt), first)
	Label("line")
	w, at, taps := field(offW), GP64(), field(offTaps)
	ADDQ(Mem{Base: lines, Disp: offLineW}, w)
	MOVQ(Mem{Base: lines, Disp: offLineX}, at)
	ADDQ(first, at)
	x := rows.New(at, step, k.pixels)
	Label("tap")
	k.tap(x, w, sums)
	x.Advance(U8(4))
	SUBQ(I8(-panel), w)
	DECQ(taps)
	JNZ(LabelRef("tap"))
	ADDQ(U8(lineSize), lines)
	DECQ(count)
	JNZ(LabelRef("line"))
	Label("summed")
}

// tap adds the products of a tap. If there is one vector of filters, AVX-512 multiplies it with a float in memory.
func (k kernel) tap(x *rows.Pointers, w Register, sums [][]Register) {
	filters := make([]Register, len(k.vectors))
	for j, v := range k.vectors {
		filters[j] = v.register()
		VMOVUPS(Mem{Base: w, Disp: k.offset(j)}, filters[j])
	}
	for i, sum := range sums {
		if k.level == level512 && len(sum) == 1 {
			VFMADD231PS_BCST(x.At(i, 0), filters[0], sum[0])
			continue
		}
		float := k.vectors[0].register()
		VBROADCASTSS(x.At(i, 0), float)
		for j, v := range k.vectors {
			VFMADD231PS(filters[j], v.of(float), sum[j])
		}
	}
}

// Activations that kernels apply, the values of planeTile.act.
const (
	relu = 1 + iota
	relu6
	hardSwish
)

// activate applies the activation.
func activate(act Register, sums [][]Register) {
	each := func(f func(x Register)) {
		for _, pixel := range sums {
			for _, x := range pixel {
				f(x)
			}
		}
	}
	TESTQ(act, act)
	JZ(LabelRef("store"))
	zero, six := like(sums[0][0]), like(sums[0][0])
	reset(zero)
	CMPQ(act, U8(hardSwish))
	JE(LabelRef("hardSwish"))
	each(func(x Register) { VMAXPS(x, part(zero, x), x) }) // x where it is NaN
	CMPQ(act, U8(relu))
	JE(LabelRef("store"))
	VMOVUPS(constants.At(6), six)
	each(func(x Register) { VMINPS(x, part(six, x), x) })
	JMP(LabelRef("store"))

	Label("hardSwish")
	each(func(x Register) {
		gate := like(x)
		VMOVUPS(constants.At(0.5), gate)
		VFMADD231PS(constants.At(1./6), x, gate)
		VMINPS(constants.At(1), gate, gate)
		VMAXPS(part(zero, x), gate, gate)
		VMULPS(gate, x, x)
	})
	Label("store")
}

func reset(x VecVirtual) {
	if vector(x.Size()/4) == zmm {
		VPXORD(x, x, x)
	} else {
		VXORPS(x, x, x)
	}
}

// like returns a new register of the size of x.
func like(x Register) VecVirtual { return vector(x.Size() / 4).register() }

// part returns the first lanes of v, as many as x has.
func part(v VecVirtual, x Register) Register { return vector(x.Size() / 4).of(v) }

// store stores the sums.
func (k kernel) store(dst, pixel Register, sums [][]Register) {
	for i, sum := range sums {
		for j, x := range sum {
			VMOVUPS(x, Mem{Base: dst, Disp: k.offset(j)})
		}
		if i+1 < len(sums) {
			ADDQ(pixel, dst)
		}
	}
}
