// Command nbits writes nbits_amd64.s: products of rows of floats or bytes with panels of weights of 4
// bits, and the conversion of panels to floats.
package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

var panelType = kernels.StructOf("nbitsPanel")

// Offsets of nbitsPanel's fields.
var (
	offW      = panelType.Offset("w")
	offScales = panelType.Offset("scales")
	offZeros  = panelType.Offset("zeros")
	offX      = panelType.Offset("x")
	offSums   = panelType.Offset("sums")
	offDst    = panelType.Offset("dst")
	offBlocks = panelType.Offset("blocks")
	offGroups = panelType.Offset("groups")
)

const panel = 32 // columns

// widths are the sizes of weights in bits.
var widths = []int{4, 8}

func main() {
	kernels.Begin()
	for _, v := range []isa{newAVX512(), avx2{}} {
		for _, bits := range widths {
			rowTimes(v, bits)
			widen(v, bits)
		}
	}
	byteConstants()
	for _, bits := range widths {
		byteTiles(newVNNI(bits), map[int]int{1: 2, 2: 2, 4: 2, 6: 2})
		byteTiles(newVNNI256(bits), map[int]int{1: 4, 2: 4, 4: 2, 6: 2})
		byteTiles(newAVX2Bytes(bits), map[int]int{1: 4, 2: 2, 4: 1, 6: 1})
		quantize(bits)
	}
	orderOfNibbles()
	quantizeConstants.Emit()
	Generate()
}

// isa is the differences of the two instruction sets.
type isa interface {
	name() string
	lanes() int
	vec() VecVirtual
	zero(v Register)
	broadcast(m Mem, v Register)

	// number sets y to number j of each word, which has the given bits.
	number(words Register, j, bits int, y Register)
	// fmaOne is acc += y·x for one float x.
	fmaOne(x Mem, y, acc Register)
	widening(bits int) widening
}

// fields loads fields of the panel at t.
func fields(t Register) func(off int) Register {
	return func(off int) Register {
		r := GP64()
		MOVQ(Mem{Base: t, Disp: off}, r)
		return r
	}
}

// at returns vector i of a line of the panel.
func at(v interface{ lanes() int }, base Register, i int) Mem {
	return Mem{Base: base, Disp: 4 * v.lanes() * i}
}

// rowTimes emits the product of a row. A block has two sums, of every second value of k, for each column.
func rowTimes(v isa, bits int) {
	kernels.Text(fmt.Sprintf("nbits%dRow%s", bits, v.name()), "func(t *nbitsPanel)")
	field := fields(Load(Param("t"), GP64()))
	w, scales, zeros, x, sums, dst := field(offW), field(offScales), field(offZeros), field(offX), field(offSums), field(offDst)
	blocks, groups := field(offBlocks), field(offGroups)
	n := panel / v.lanes()
	acc := make([][2]Register, n)
	for i := range acc {
		acc[i] = [2]Register{v.vec(), v.vec()}
		v.zero(acc[i][0])
		VMOVUPS(acc[i][0], at(v, dst, i))
	}
	Label("block")
	for i := range acc {
		v.zero(acc[i][0])
		v.zero(acc[i][1])
	}
	left := GP64()
	MOVQ(groups, left)
	Label("group")
	for i := range acc {
		PREFETCHT0(at(v, w, i).Offset(4096))
		words := v.vec()
		VMOVUPS(at(v, w, i), words)
		for j := range 32 / bits {
			y := v.vec()
			v.number(words, j, bits, y)
			v.fmaOne(Mem{Base: x, Disp: 4 * j}, y, acc[i][j%2])
		}
	}
	ADDQ(U32(panel*4), w)
	ADDQ(U8(32/bits*4), x)
	DECQ(left)
	JNZ(LabelRef("group"))
	for i := range acc {
		VADDPS(acc[i][1], acc[i][0], acc[i][0])
	}
	TESTQ(zeros, zeros)
	JZ(LabelRef("scale"))
	sum := v.vec()
	v.broadcast(Mem{Base: sums}, sum)
	for i := range acc {
		VFNMADD231PS(at(v, zeros, i), sum, acc[i][0])
	}
	ADDQ(U8(4), sums)
	ADDQ(U32(panel*4), zeros)
	Label("scale")
	for i := range acc {
		total := v.vec()
		VMOVUPS(at(v, dst, i), total)
		VFMADD231PS(at(v, scales, i), acc[i][0], total)
		VMOVUPS(total, at(v, dst, i))
	}
	ADDQ(U32(panel*4), scales)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// widen emits the conversion of the groups of some blocks to floats.
func widen(v isa, bits int) {
	kernels.Text(fmt.Sprintf("nbits%dFloats%s", bits, v.name()), "func(t *nbitsPanel)")
	field := fields(Load(Param("t"), GP64()))
	w, scales, zeros, dst := field(offW), field(offScales), field(offZeros), field(offDst)
	blocks, groups := field(offBlocks), field(offGroups)
	c := v.widening(bits)
	scale := make([]Register, panel/v.lanes())
	for i := range scale {
		scale[i] = v.vec()
	}
	Label("block")
	for i := range scale {
		VMOVUPS(at(v, scales, i), scale[i])
		c.noZeros(i)
	}
	ADDQ(U32(panel*4), scales)
	TESTQ(zeros, zeros)
	JZ(LabelRef("begin"))
	for i := range scale {
		c.zeros(i, at(v, zeros, i))
	}
	ADDQ(U32(panel*4), zeros)
	Label("begin")
	left := GP64()
	MOVQ(groups, left)
	Label("group")
	for i := range scale {
		words := v.vec()
		VMOVUPS(at(v, w, i), words)
		for j := range 32 / bits {
			y := v.vec()
			c.difference(words, i, j, y)
			VMULPS(scale[i], y, y)
			VMOVUPS(y, at(v, dst, i).Offset(j*panel*4))
		}
	}
	ADDQ(U32(panel*4), w)
	ADDQ(U32(32/bits*panel*4), dst)
	DECQ(left)
	JNZ(LabelRef("group"))
	DECQ(blocks)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// widening computes the differences of weights and zero points.
type widening interface {
	noZeros(i int)      // there are no zero points of vector i of a line,
	zeros(i int, m Mem) // or they are in memory
	// difference sets y to number j of the words, which are vector i of a line, less their zero points. It may change the
	// words, as their numbers are asked for in order.
	difference(words Register, i, j int, y Register)
}

// subtracted converts numbers to floats and subtracts zero points.
type subtracted struct {
	isa
	bits int
	zero []Register
}

func newSubtracted(v isa, bits int) widening {
	s := subtracted{v, bits, make([]Register, panel/v.lanes())}
	for i := range s.zero {
		s.zero[i] = v.vec()
	}
	return s
}

func (s subtracted) noZeros(i int)      { s.isa.zero(s.zero[i]) }
func (s subtracted) zeros(i int, m Mem) { VMOVUPS(m, s.zero[i]) }

func (s subtracted) difference(words Register, i, j int, y Register) {
	s.number(words, j, s.bits, y)
	VSUBPS(s.zero[i], y, y)
}

// joined makes floats of numbers of 4 bits without a conversion: a number becomes the lowest bits of a float with a large
// exponent, so that one subtraction removes the rest and the zero point, exactly. The lower number of a byte is in a float from
// 2²³ on, the upper one in a float from 2¹⁹ on. The numbers are signed: inverted, their highest bits make them unsigned.
type joined struct {
	mask, join [2]Mem // of the lower and the upper number of the lowest byte
	rest       [2]Mem // what joining has added
	less       [2][]Register
}

func newJoined() widening {
	var c joined
	table := GLOBL("nbitsJoined", RODATA|NOPTR)
	n := 0
	constant := func(x uint32) Mem {
		for i := range 8 {
			DATA(32*n+4*i, U32(x))
		}
		n++
		return table.Offset(32 * (n - 1))
	}
	for k, exponent := range []int{23, 19} {
		base := float32(int(1) << exponent)
		c.mask[k], c.join[k] = constant(0xf<<(4*k)), constant(math.Float32bits(base)|8<<(4*k))
		c.rest[k] = constant(math.Float32bits(base + 8))
		for range panel / 8 {
			c.less[k] = append(c.less[k], YMM())
		}
	}
	return c
}

func (c joined) noZeros(i int) {
	for k, less := range c.less {
		VMOVUPS(c.rest[k], less[i])
	}
}

func (c joined) zeros(i int, m Mem) {
	VADDPS(m, c.less[0][i], c.less[0][i])
	VADDPS(m, c.less[1][i], c.less[1][i])
}

func (c joined) difference(words Register, i, j int, y Register) {
	if j > 0 && j%2 == 0 {
		VPSRLD(U8(8), words, words)
	}
	VPAND(c.mask[j%2], words, y)
	VPXOR(c.join[j%2], y, y)
	VSUBPS(c.less[j%2][i], y, y)
}

// avx512 looks numbers of 4 bits up in a table.
type avx512 struct{ table Mem }

func newAVX512() avx512 {
	table := GLOBL("nbitsNumbers", RODATA|NOPTR)
	for i := range 16 {
		DATA(4*i, U32(math.Float32bits(float32((i+8)%16-8))))
	}
	return avx512{table}
}

func (avx512) name() string                  { return "AVX512" }
func (avx512) lanes() int                    { return 16 }
func (avx512) vec() VecVirtual               { return ZMM() }
func (avx512) zero(v Register)               { VPXORD(v, v, v) }
func (avx512) broadcast(m Mem, v Register)   { VBROADCASTSS(m, v) }
func (avx512) fmaOne(x Mem, y, acc Register) { VFMADD231PS_BCST(x, y, acc) }

func (a avx512) widening(bits int) widening { return newSubtracted(a, bits) }

func (a avx512) number(words Register, j, bits int, y Register) {
	if bits == 8 {
		shifted(words, j, bits, y)
		return
	}
	index := words
	if j > 0 {
		VPSRLD(U8(4*j), words, y)
		index = y
	}
	VPERMPS(a.table, index, y)
}

type avx2 struct{}

func (avx2) name() string                { return "AVX2" }
func (avx2) lanes() int                  { return 8 }
func (avx2) vec() VecVirtual             { return YMM() }
func (avx2) zero(v Register)             { VXORPS(v, v, v) }
func (avx2) broadcast(m Mem, v Register) { VBROADCASTSS(m, v) }

func (a avx2) fmaOne(x Mem, y, acc Register) {
	b := YMM()
	VBROADCASTSS(x, b)
	VFMADD231PS(b, y, acc)
}

func (a avx2) widening(bits int) widening {
	if bits == 4 {
		return newJoined()
	}
	return newSubtracted(a, bits)
}

func (avx2) number(words Register, j, bits int, y Register) { shifted(words, j, bits, y) }

// shifted sets y to number j of each word: it shifts the number up and, with its sign, down.
func shifted(words Register, j, bits int, y Register) {
	from := words
	if up := 32 - bits*(j+1); up > 0 {
		VPSLLD(U8(up), words, y)
		from = y
	}
	VPSRAD(U8(32-bits), from, y)
	VCVTDQ2PS(y, y)
}
