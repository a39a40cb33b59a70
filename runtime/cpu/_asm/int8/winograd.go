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
	wordTileType  = kernels.StructOf("wordTile")
	pixelTileType = kernels.StructOf("pixelTile8")
	sumTileType   = kernels.StructOf("sumTile8")
)

// tilePairs is a micro-kernel of some rows of words and 16 columns. Twelve sums, two vectors of columns and two products are
// all registers.
type tilePairs struct{ rows int }

func (g tilePairs) emit() {
	field := begin(fmt.Sprintf("wordTile%dx16AVX2", g.rows), fmt.Sprintf("%d rows of words and 16 columns", g.rows), "wordTile")
	acc := make([][2]VecVirtual, g.rows)
	for i := range acc {
		for j := range acc[i] {
			acc[i][j] = YMM()
			VPXOR(acc[i][j], acc[i][j], acc[i][j])
		}
	}
	lda := field(wordTileType.Offset("lda"))
	SHLQ(U8(1), lda)
	a := rows.New(field(wordTileType.Offset("a")), lda, g.rows)
	b, pairs := field(wordTileType.Offset("b")), field(wordTileType.Offset("pairs"))
	Label("loop")
	var y [2]VecVirtual
	for j := range y {
		y[j] = YMM()
		VMOVDQU(Mem{Base: b, Disp: 32 * j}, y[j])
	}
	for i := range acc {
		x, p := YMM(), YMM()
		VPBROADCASTD(a.At(i, 0), x)
		VPMADDWD(y[0], x, p)
		VPADDD(p, acc[i][0], acc[i][0])
		VPMADDWD(y[1], x, x)
		VPADDD(x, acc[i][1], acc[i][1])
	}
	a.Advance(U8(4))
	ADDQ(U8(64), b)
	DECQ(pairs)
	JNZ(LabelRef("loop"))
	c, ldc := field(wordTileType.Offset("c")), field(wordTileType.Offset("ldc"))
	SHLQ(U8(2), ldc)
	for i, row := range acc {
		for j, v := range row {
			VMOVDQU(v, Mem{Base: c, Disp: 32 * j})
		}
		if i < len(acc)-1 {
			ADDQ(ldc, c)
		}
	}
	VZEROUPPER()
	RET()
}

// winogradIn emits the transform of pixels of bytes to words, for 16 channels at a time.
func winogradIn() {
	field := begin("winogradIn8AVX2", "the transform of 6×6 pixels of each channel", "pixelTile8")
	get := func(name string) Register { return field(pixelTileType.Offset(name)) }
	src, dst, tmp, row, pixel, step, n := get("src"), get("dst"), get("tmp"), get("row"), get("pixel"), get("step"), get("n")
	SHLQ(U8(1), step)
	flip := YMM()
	VMOVD(get("flip").(GPVirtual).As32(), flip.AsX())
	VPBROADCASTD(flip.AsX(), flip)
	from, to := GP64(), GP64()
	lines, places := rows.New(from, row, 6), rows.New(to, step, 6)
	Label("vector")
	MOVQ(src, from)
	for j := range 6 {
		var d [6]VecVirtual
		for i := range d {
			d[i] = YMM()
			VPMOVZXBW(lines.At(i, 0), d[i])
			VPXOR(flip, d[i], d[i])
		}
		for i, v := range pixelWords(d) {
			VMOVDQU(v, Mem{Base: tmp, Disp: (6*i + j) * 32})
		}
		if j < 5 {
			lines.Advance(pixel)
		}
	}
	MOVQ(dst, to)
	for i := range 6 {
		var d [6]VecVirtual
		for j := range d {
			d[j] = YMM()
			VMOVDQU(Mem{Base: tmp, Disp: (6*i + j) * 32}, d[j])
		}
		for j, v := range pixelWords(d) {
			VMOVDQU(v, places.At(j, 0))
		}
		if i < 5 {
			LEAQ(Mem{Base: to, Index: step, Scale: 4}, to)
			LEAQ(Mem{Base: to, Index: step, Scale: 2}, to)
		}
	}
	ADDQ(U8(16), src)
	ADDQ(U8(32), dst)
	SUBQ(U8(16), n)
	JG(LabelRef("vector"))
	VZEROUPPER()
	RET()
}

// pixelWords is the transform of six words, whose registers it uses.
func pixelWords(d [6]VecVirtual) (t [6]VecVirtual) {
	for i := range t {
		t[i] = YMM()
	}
	twice := func(by uint64, x VecVirtual) { VPSLLW(U8(by), x, x) }
	e, f := YMM(), YMM()
	// t0 = 4·(d0-d2) + (d4-d2)
	VPSUBW(d[2], d[4], e)
	VPSUBW(d[2], d[0], t[0])
	twice(2, t[0])
	VPADDW(e, t[0], t[0])
	// t3, t4 = (d4-d2) ± 2·(d3-d1)
	VPSUBW(d[1], d[3], f)
	VPADDW(f, f, t[5])
	VPADDW(t[5], e, t[3])
	VPSUBW(t[5], e, t[4])
	// t5 = (d5-d3) - 4·(d3-d1)
	VPSUBW(d[3], d[5], d[5])
	twice(2, f)
	VPSUBW(f, d[5], t[5])
	// t1, t2 = (d4-4·d2) ± (d3-4·d1)
	twice(2, d[2])
	twice(2, d[1])
	VPSUBW(d[2], d[4], d[4])
	VPSUBW(d[1], d[3], d[3])
	VPADDW(d[3], d[4], t[1])
	VPSUBW(d[3], d[4], t[2])
	return t
}

// winogradOut emits the transform of sums to those of pixels, for eight filters at a time.
func winogradOut() {
	ninth := GLOBL("winogradNinth", RODATA|NOPTR)
	for i := range 8 {
		DATA(4*i, U32(0x38e38e39)) // its product with 9 is 1, modulo 2³²
	}
	field := begin("winogradOut8AVX2", "the transform of 36 sums of each filter", "sumTile8")
	get := func(name string) Register { return field(sumTileType.Offset(name)) }
	src, dst, tmp, step, n := get("src"), get("dst"), get("tmp"), get("step"), get("n")
	SHLQ(U8(2), step)
	step6, size := GP64(), GP64()
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, step6)
	ADDQ(step6, step6)
	MOVQ(n, size)
	SHLQ(U8(2), size)
	from, to := GP64(), GP64()
	places, pixels := rows.New(from, step6, 6), rows.New(to, size, 4)
	Label("vector")
	MOVQ(src, from)
	for j := range 6 {
		var m [6]VecVirtual
		for i := range m {
			m[i] = YMM()
			VMOVDQU(places.At(i, 0), m[i])
		}
		for i, v := range pixelSums(m) {
			VMOVDQU(v, Mem{Base: tmp, Disp: (6*i + j) * 32})
		}
		if j < 5 {
			places.Advance(step)
		}
	}
	MOVQ(dst, to)
	for i := range 4 {
		var m [6]VecVirtual
		for j := range m {
			m[j] = YMM()
			VMOVDQU(Mem{Base: tmp, Disp: (6*i + j) * 32}, m[j])
		}
		for j, v := range pixelSums(m) {
			VPMULLD(ninth, v, v)
			VPSRAD(U8(sumShifts[i]+sumShifts[j]), v, v)
			VMOVDQU(v, pixels.At(j, 0))
		}
		if i < 3 {
			LEAQ(Mem{Base: to, Index: size, Scale: 4}, to)
		}
	}
	ADDQ(U8(32), src)
	ADDQ(U8(32), dst)
	SUBQ(U8(8), n)
	JG(LabelRef("vector"))
	VZEROUPPER()
	RET()
}

// sumShifts has, for each result of [pixelSums], the binary logarithm of a third of its factor.
var sumShifts = [4]uint64{3, 2, 1, 1}

// pixelSums is the transform of six sums to 24, 12, 6 and 6 times those of four pixels. It uses the registers of the sums.
func pixelSums(m [6]VecVirtual) (y [4]VecVirtual) {
	for i := range y {
		y[i] = YMM()
	}
	twice := func(x VecVirtual) { VPADDD(x, x, x) }
	p, q, r, s := YMM(), YMM(), YMM(), YMM()
	VPADDD(m[2], m[1], p)
	VPSUBD(m[2], m[1], r)
	VPADDD(m[4], m[3], q)
	VPSUBD(m[4], m[3], s)
	// y2 = (m1+m2) + (m3+m4)
	VPADDD(q, p, y[2])
	// y0 = 2·(3·m0 + 2·(m1+m2)) + (m3+m4)
	VPADDD(m[0], m[0], y[0])
	VPADDD(m[0], y[0], y[0])
	twice(p)
	VPADDD(p, y[0], y[0])
	twice(y[0])
	VPADDD(q, y[0], y[0])
	// y1 = 2·(m1-m2) + (m3-m4)
	VPADDD(r, r, y[1])
	VPADDD(s, y[1], y[1])
	// y3 = (m1-m2) + 2·((m3-m4) + 3·m5)
	VPADDD(m[5], m[5], y[3])
	VPADDD(m[5], y[3], y[3])
	VPADDD(s, y[3], y[3])
	twice(y[3])
	VPADDD(r, y[3], y[3])
	return y
}
