// Command int8 writes int8_amd64.s: micro-kernels of products of bytes, the packing for them, the conversion
// of their sums to outputs, and quantization.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

func main() {
	kernels.Begin()
	for rows := 1; rows <= 14; rows++ {
		tileVNNI{rows, 1}.emit()
	}
	for rows := 1; rows <= 3; rows++ {
		tileVNNI{rows, 4}.emit()
	}
	tileVNNI{4, 2}.emit()
	wordTables()
	for rows := 1; rows <= 2; rows++ {
		tileAVX2{rows}.emit()
	}
	for rows := 3; rows <= 6; rows++ {
		tileWords{rows}.emit()
	}
	widenRuns()
	for rows := 1; rows <= 6; rows++ {
		tilePairs{rows}.emit()
	}
	winogradIn()
	winogradOut()
	tileVNNI256{1, 2}.emit()
	for rows := 1; rows <= 3; rows++ {
		tileVNNI256{rows, 1}.emit()
	}
	depth{"VNNI", 64}.emit()
	for _, width := range []int{32, 16} {
		depth{"VNNI", width}.emit()
		depth{"VNNI256", width}.emit()
		depth{"AVX2", width}.emit()
	}
	packQuads()
	sumRuns()
	flipBytes()
	maxBytes(false)
	maxBytes(true)
	byteTable()
	requantPanel()
	order := packedOrder()
	requantPanels(order, false)
	requantPanels(order, true)
	tables()
	for _, v := range []isa{avx512{}, avx2{}} {
		for _, out := range []output{bytes, floats, ints} {
			requant{v, out, false}.emit()
			requant{v, out, true}.emit()
		}
		intsToFloats(v)
		quantize(v)
		dequantize(v, false)
		dequantize(v, true)
		addBytes(v, false)
		addBytes(v, true)
	}
	Generate()
}

// packQuads emits the packing of groups of four rows of 32 bytes.
func packQuads() {
	TEXT("packQuadsAVX2", NOSPLIT, "func(dst, b *byte, quads, ldb int, flip uint32)")
	Doc("packQuadsAVX2 writes, for each of some groups of four rows, 32 columns of four bytes; flip is xored to each four.")
	dst, b := Load(Param("dst"), GP64()), Load(Param("b"), GP64())
	quads, ldb := Load(Param("quads"), GP64()), Load(Param("ldb"), GP64())
	flip := YMM()
	p, err := Param("flip").Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(p.Addr, flip)
	ldb3 := GP64()
	LEAQ(Mem{Base: ldb, Index: ldb, Scale: 2}, ldb3)
	Label("loop")
	var r [4]VecVirtual
	for i, m := range []Mem{{Base: b}, {Base: b, Index: ldb, Scale: 1}, {Base: b, Index: ldb, Scale: 2}, {Base: b, Index: ldb3, Scale: 1}} {
		r[i] = YMM()
		VPXOR(m, flip, r[i])
	}
	two := func(op func(...Op), x, y VecVirtual) VecVirtual {
		v := YMM()
		op(y, x, v)
		return v
	}
	lo01, hi01 := two(VPUNPCKLBW, r[0], r[1]), two(VPUNPCKHBW, r[0], r[1])
	lo23, hi23 := two(VPUNPCKLBW, r[2], r[3]), two(VPUNPCKHBW, r[2], r[3])
	q0, q1 := two(VPUNPCKLWD, lo01, lo23), two(VPUNPCKHWD, lo01, lo23) // columns 0–3 and 16–19, 4–7 and 20–23
	q2, q3 := two(VPUNPCKLWD, hi01, hi23), two(VPUNPCKHWD, hi01, hi23)
	for i, s := range [4]struct {
		x, y VecVirtual
		half uint8
	}{{q0, q1, 0x20}, {q2, q3, 0x20}, {q0, q1, 0x31}, {q2, q3, 0x31}} {
		v := YMM()
		VPERM2I128(U8(s.half), s.y, s.x, v)
		VMOVDQU(v, Mem{Base: dst, Disp: 32 * i})
	}
	LEAQ(Mem{Base: b, Index: ldb, Scale: 4}, b)
	ADDQ(U32(128), dst)
	DECQ(quads)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
