package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
	"github.com/bbgen/bbgen/runtime/cpu/_asm/vex"
)

var (
	tileType  = kernels.StructOf("nbitsTile")
	blockType = kernels.StructOf("nbitsBlock")
)

// Offsets of nbitsTile's fields, and of a nbitsBlock's.
var (
	tileW      = tileType.Offset("w")
	tileScales = tileType.Offset("scales")
	tileZeros  = tileType.Offset("zeros")
	tileX      = tileType.Offset("x")
	tileBlocks = tileType.Offset("q")
	tileDst    = tileType.Offset("dst")
	tileCount  = tileType.Offset("blocks")
	tileGroups = tileType.Offset("groups")
	tileLdx    = tileType.Offset("ldx")
	tileLdb    = tileType.Offset("ldq")
	blockStep  = blockType.Offset("step")
	blockSum   = blockType.Offset("sum")
	blockStart = blockType.Offset("start")
)

var blockSize = blockType.Size()

// byteKernel is a micro-kernel for rows of bytes and a number of vectors of columns.
type byteKernel struct {
	byteISA
	rows, vecs int
	t          Register // the argument
	acc        [][]Register
	more       [][]Register // the sums of the second half of each word's weights, if registers are left for them
}

// byteISA is the differences of the two instruction sets.
type byteISA interface {
	name() string
	lanes() int
	vec() VecVirtual
	width() int // of weights, in bits
	constants()

	// unpack returns the parts of unsigned weights that dot multiplies.
	unpack(words Mem) []Register
	// dot adds the products of the weights of a word with elements from x on to each sum.
	dot(x Mem, weights []Register, acc Register)
	zero(v Register)
	broadcast(m Mem, v Register)
}

// byteTiles emits all kernels of an instruction set. The number of vectors is for each number of rows what
// the registers hold.
func byteTiles(v byteISA, vecs map[int]int) {
	for _, rows := range []int{1, 2, 4, 6} {
		k := &byteKernel{byteISA: v, rows: rows, vecs: vecs[rows]}
		k.emit()
	}
}

// emit emits, for each block, integer sums of products, and then their addition to the results by the scales
// of both operands. The results are kept in memory if the registers do not hold them.
func (k *byteKernel) emit() {
	kernels.Text(fmt.Sprintf("nbits%dTile%dx%d%s", k.width(), k.rows, k.vecs*k.lanes(), k.name()), "func(t *nbitsTile)")
	k.t = Load(Param("t"), GP64())
	field := fields(k.t)
	k.constants()
	w, scales, zeros, x, blocks := field(tileW), field(tileScales), field(tileZeros), field(tileX), field(tileBlocks)
	xRows, blockRows := k.rowsAt(x, tileLdx), k.rowsAt(blocks, tileLdb)
	count := field(tileCount)
	k.acc = make([][]Register, k.rows)
	for r := range k.acc {
		for range k.vecs {
			k.acc[r] = append(k.acc[r], k.vec())
		}
	}
	if v, ok := k.byteISA.(vnni256); ok && v.bits == 4 && k.rows == 1 {
		k.more = [][]Register{{YMM(), YMM(), YMM(), YMM()}}
	}
	k.clear()
	Label("block")
	for r, sums := range k.acc {
		for _, sum := range sums {
			VPBROADCASTD(blockRows[r].Offset(blockStart), sum)
		}
	}
	for _, sums := range k.more {
		for _, sum := range sums {
			k.zero(sum)
		}
	}
	left := field(tileGroups)
	Label("group")
	k.group(w, xRows)
	ADDQ(U32(panel*4), w)
	ADDQ(U8(32/k.width()), x)
	DECQ(left)
	JNZ(LabelRef("group"))
	k.scale(scales, zeros, blockRows)
	ADDQ(U32(panel*4), scales)
	ADDQ(U8(blockSize), blocks)
	DECQ(count)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// rowsAt returns the addresses of rows that are the distance at an offset apart.
func (k *byteKernel) rowsAt(base Register, off int) []Mem {
	rows := []Mem{{Base: base}}
	if k.rows == 1 {
		return rows
	}
	ld := fields(k.t)(off)
	rows = append(rows, Mem{Base: base, Index: ld, Scale: 1})
	if k.rows == 2 {
		return rows
	}
	times := func(n uint8) Register {
		r := GP64()
		LEAQ(Mem{Base: ld, Index: ld, Scale: n - 1}, r)
		return r
	}
	rows = append(rows, Mem{Base: base, Index: ld, Scale: 2}, Mem{Base: base, Index: times(3), Scale: 1})
	if k.rows == 4 {
		return rows
	}
	return append(rows, Mem{Base: base, Index: ld, Scale: 4}, Mem{Base: base, Index: times(5), Scale: 1})
}

// clear sets the results to zero.
func (k *byteKernel) clear() {
	dst, zero := fields(k.t)(tileDst), k.vec()
	k.zero(zero)
	for r := range k.rows {
		for i := range k.vecs {
			VMOVUPS(zero, k.result(dst, r, i))
		}
	}
}

// result returns the address of vector i of a row's results.
func (k *byteKernel) result(dst Register, r, i int) Mem {
	return Mem{Base: dst, Disp: 4 * (panel*r + k.lanes()*i)}
}

// group emits the products of a word of each column.
func (k *byteKernel) group(w Register, x []Mem) {
	for i := range k.vecs {
		words := Mem{Base: w, Disp: 4 * k.lanes() * i}
		if k.rows == 1 {
			PREFETCHT0(words.Offset(4096))
		}
		weights := k.unpack(words)
		for r, m := range x {
			if k.more == nil {
				k.dot(m, weights, k.acc[r][i])
				continue
			}
			k.dot(m, weights[:1], k.acc[r][i])
			k.dot(m.Offset(4), weights[1:], k.more[r][i])
		}
	}
}

// scale adds the sums of a block, less those of the zero points, to the results.
func (k *byteKernel) scale(scales, zeros Register, blocks []Mem) {
	dst, factor := fields(k.t)(tileDst), k.vec()
	for r, sums := range k.more {
		for i, sum := range sums {
			VPADDD(sum, k.acc[r][i], k.acc[r][i])
		}
	}
	k.each(func(_, _ int, sum Register) { VCVTDQ2PS(sum, sum) })
	TESTQ(zeros, zeros)
	JZ(LabelRef("symmetric"))
	k.each(func(r, i int, sum Register) {
		k.broadcast(blocks[r].Offset(blockSum), factor)
		VFNMADD231PS(at(k, zeros, i), factor, sum)
	})
	ADDQ(U32(panel*4), zeros)
	Label("symmetric")
	k.each(func(r, i int, sum Register) {
		k.broadcast(blocks[r].Offset(blockStep), factor)
		VMULPS(at(k, scales, i), factor, factor)
		VFMADD213PS(k.result(dst, r, i), factor, sum)
		VMOVUPS(sum, k.result(dst, r, i))
	})
}

// each calls f for all sums with their row and vector.
func (k *byteKernel) each(f func(r, i int, sum Register)) {
	for r, sums := range k.acc {
		for i, sum := range sums {
			f(r, i, sum)
		}
	}
}

// byteConstants emits the constants of all kernels.
func byteConstants() {
	word := func(name string, v uint32) {
		GLOBL(name, RODATA|NOPTR)
		DATA(0, U32(v))
	}
	word("nbitsLow", 0x0f0f0f0f)
	word("nbitsFlip4", 0x88888888)
	word("nbitsFlip8", 0x80808080)
	word("nbitsOnes", 0x00010001)
	word("nbitsSixteens", 0x00100010)
}

// word returns the address of a constant.
func word(name string) Mem { return NewDataAddr(NewStaticSymbol(name), 0) }

// flipOf returns the address of the constant that makes weights unsigned.
func flipOf(bits int) Mem { return word(fmt.Sprint("nbitsFlip", bits)) }

// vnni multiplies and adds four bytes in one instruction.
type vnni struct {
	avx512
	bits      int
	low, flip *Register
}

func newVNNI(bits int) vnni { return vnni{bits: bits, low: new(Register), flip: new(Register)} }

func (vnni) name() string { return "VNNI" }
func (v vnni) width() int { return v.bits }

func (v vnni) constants() {
	*v.low, *v.flip = ZMM(), ZMM()
	VPBROADCASTD(word("nbitsLow"), *v.low)
	VPBROADCASTD(flipOf(v.bits), *v.flip)
}

func (v vnni) unpack(words Mem) []Register {
	if v.bits == 8 {
		w := ZMM()
		VPXORD(words, *v.flip, w)
		return []Register{w}
	}
	const flippedAndLow = 0x48 // (a ^ c) & b
	low, high := ZMM(), ZMM()
	VMOVDQU32(words, low)
	VPSRLD(U8(4), low, high)
	VPTERNLOGD(U8(flippedAndLow), *v.flip, *v.low, low)
	VPTERNLOGD(U8(flippedAndLow), *v.flip, *v.low, high)
	return []Register{low, high}
}

func (v vnni) dot(x Mem, weights []Register, acc Register) {
	for i, w := range weights {
		VPDPBUSD_BCST(x.Offset(4*i), w, acc)
	}
}

// vnni256 is vnni of 256 bits and 16 registers.
type vnni256 struct {
	avx2
	bits int
	low  *Register
}

func newVNNI256(bits int) vnni256 { return vnni256{bits: bits, low: new(Register)} }

func (vnni256) name() string { return "VNNI256" }
func (v vnni256) width() int { return v.bits }

func (v vnni256) constants() {
	if v.bits == 4 {
		*v.low = YMM()
		VPBROADCASTD(word("nbitsLow"), *v.low)
	}
}

func (v vnni256) unpack(words Mem) []Register {
	low := YMM()
	VPBROADCASTD(flipOf(v.bits), low)
	VPXOR(words, low, low)
	if v.bits == 8 {
		return []Register{low}
	}
	high := YMM()
	VPSRLD(U8(4), low, high)
	VPAND(*v.low, low, low)
	VPAND(*v.low, high, high)
	return []Register{low, high}
}

func (v vnni256) dot(x Mem, weights []Register, acc Register) {
	for i, w := range weights {
		four := YMM()
		VPBROADCASTD(x.Offset(4*i), four)
		vex.VPDPBUSD(four, w, acc)
	}
}

// avx2Bytes adds two products of parts of 4 bits in 16 bits, which hold their sum.
type avx2Bytes struct {
	avx2
	bits                int
	low, ones, sixteens *Register
}

func newAVX2Bytes(bits int) avx2Bytes {
	return avx2Bytes{bits: bits, low: new(Register), ones: new(Register), sixteens: new(Register)}
}

func (v avx2Bytes) width() int { return v.bits }

func (v avx2Bytes) constants() {
	*v.low, *v.ones, *v.sixteens = YMM(), YMM(), YMM()
	VPBROADCASTD(word("nbitsLow"), *v.low)
	VPBROADCASTD(word("nbitsOnes"), *v.ones)
	if v.bits == 8 {
		VPBROADCASTD(word("nbitsSixteens"), *v.sixteens)
	}
}

// unpack returns the lower and the upper four bits of each byte.
func (v avx2Bytes) unpack(words Mem) []Register {
	low, high := YMM(), YMM()
	VPBROADCASTD(flipOf(v.bits), low)
	VPXOR(words, low, low)
	VPSRLD(U8(4), low, high)
	VPAND(*v.low, low, low)
	VPAND(*v.low, high, high)
	return []Register{low, high}
}

func (v avx2Bytes) dot(x Mem, weights []Register, acc Register) {
	a, b := YMM(), YMM()
	VPBROADCASTD(x, a)
	if v.bits == 8 {
		VPMADDUBSW(a, weights[1], b)
		VPMADDUBSW(a, weights[0], a)
		VPMADDWD(*v.sixteens, b, b)
		VPMADDWD(*v.ones, a, a)
		VPADDD(b, acc, acc)
		VPADDD(a, acc, acc)
		return
	}
	VPBROADCASTD(x.Offset(4), b)
	VPMADDUBSW(a, weights[0], a)
	VPMADDUBSW(b, weights[1], b)
	VPADDW(b, a, a)
	VPMADDWD(*v.ones, a, a)
	VPADDD(a, acc, acc)
}
