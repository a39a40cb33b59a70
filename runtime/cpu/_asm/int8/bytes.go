package main

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// sumRuns emits the sums of rows of unsigned bytes, each of which consists of runs.
func sumRuns() {
	TEXT("sumRunsAVX2", NOSPLIT, "func(dst *int32, x *byte, rows, apart int, starts *int, runs, run int)")
	Doc("sumRunsAVX2 sets each of some sums to that of the bytes of some runs, which begin starts after x, for the first one, and",
		"apart bytes later for each of the others. It reads whole groups of four bytes of a run, and has at least one of all.")
	dst, x, rows, apart := Load(Param("dst"), GP64()), Load(Param("x"), GP64()), Load(Param("rows"), GP64()), Load(Param("apart"), GP64())
	starts, runs, run := Load(Param("starts"), GP64()), Load(Param("runs"), GP64()), Load(Param("run"), GP64())
	zero, sum, v, away := YMM(), YMM(), YMM(), XMM()
	VPXOR(zero, zero, zero)
	bits := GP64()
	MOVQ(run, bits)
	NEGQ(bits)
	ANDQ(U8(3), bits)
	SHLQ(U8(3), bits)
	VMOVQ(bits, away) // of the last group, what is shifted out
	from, left, at, n := GP64(), GP64(), GP64(), GP64()
	add := func(size int) {
		SUBQ(U8(size), n)
		ADDQ(U8(size), at)
		VPSADBW(zero, v, v)
		VPADDQ(v, sum, sum)
	}
	Label("row")
	VPXOR(sum, sum, sum)
	MOVQ(starts, from)
	MOVQ(runs, left)
	Label("run")
	MOVQ(x, at)
	ADDQ(Mem{Base: from}, at)
	MOVQ(run, n)
	for _, size := range []int{32, 8, 4} {
		Label("each" + strconv.Itoa(size))
		CMPQ(n, U8(size))
		JL(LabelRef("less" + strconv.Itoa(size)))
		switch size {
		case 32:
			VMOVDQU(Mem{Base: at}, v)
		case 8:
			VMOVQ(Mem{Base: at}, v.AsX())
		case 4:
			VMOVD(Mem{Base: at}, v.AsX())
		}
		add(size)
		JMP(LabelRef("each" + strconv.Itoa(size)))
		Label("less" + strconv.Itoa(size))
	}
	TESTQ(n, n)
	JZ(LabelRef("whole"))
	VMOVD(Mem{Base: at}, v.AsX())
	VPSLLD(away, v.AsX(), v.AsX())
	VPSADBW(zero, v, v)
	VPADDQ(v, sum, sum)
	Label("whole")
	ADDQ(U8(8), from)
	DECQ(left)
	JNZ(LabelRef("run"))
	high := XMM()
	VEXTRACTI128(U8(1), sum, high)
	VPADDQ(high, sum.AsX(), sum.AsX())
	VPSHUFD(U8(0xee), sum.AsX(), high)
	VPADDQ(high, sum.AsX(), sum.AsX())
	VMOVD(sum.AsX(), Mem{Base: dst})
	ADDQ(U8(4), dst)
	ADDQ(apart, x)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// flipBytes emits the copy of whole vectors of bytes with some of their bits flipped.
func flipBytes() {
	TEXT("flipBytesAVX2", NOSPLIT, "func(dst, x *byte, n int, flip uint32)")
	Doc("flipBytesAVX2 sets n bytes of dst to those of x, with flip xored to each four; n is a multiple of 32 and not 0.")
	dst, x, n := Load(Param("dst"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	flip, v := YMM(), YMM()
	p, err := Param("flip").Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(p.Addr, flip)
	ADDQ(n, dst)
	ADDQ(n, x)
	NEGQ(n)
	Label("loop")
	VPXOR(Mem{Base: x, Index: n, Scale: 1}, flip, v)
	VMOVDQU(v, Mem{Base: dst, Index: n, Scale: 1})
	ADDQ(U8(32), n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// maxBytes emits the larger one of each two bytes.
func maxBytes(signed bool) {
	TEXT("max"+sign(signed)+"8AVX2", NOSPLIT, "func(dst, x *byte, n int)")
	Doc("Each of n bytes of dst, at least 16, becomes the larger of itself and what x has there.")
	dst, x, n := Load(Param("dst"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	largest := func(m, x, dst Op) { VPMAXUB(m, x, dst) }
	if signed {
		largest = func(m, x, dst Op) { VPMAXSB(m, x, dst) }
	}
	i, v := GP64(), XMM()
	XORQ(i, i)
	SUBQ(U8(16), n) // where the last vector begins
	Label("loop")
	VMOVDQU(Mem{Base: x, Index: i, Scale: 1}, v)
	largest(Mem{Base: dst, Index: i, Scale: 1}, v, v)
	VMOVDQU(v, Mem{Base: dst, Index: i, Scale: 1})
	CMPQ(i, n)
	JE(LabelRef("done"))
	ADDQ(U8(16), i)
	CMPQ(i, n)
	CMOVQGT(n, i) // processes some bytes twice, with the same result
	JMP(LabelRef("loop"))
	Label("done")
	RET()
}

// byteTable emits looking up bytes in a table of four registers: one permutation for the bytes below 128,
// which ignores the highest bit, one for the others, and a selection by that bit.
func byteTable() {
	TEXT("byteTableVBMI", NOSPLIT, "func(dst, x, table *byte, n int)")
	Doc("byteTableVBMI sets each of n bytes of dst to what the table has at the byte of x.")
	dst, x, table, n := Load(Param("dst"), GP64()), Load(Param("x"), GP64()), Load(Param("table"), GP64()), Load(Param("n"), GP64())
	var t [4]VecVirtual
	for i := range t {
		t[i] = ZMM()
		VMOVDQU64(Mem{Base: table, Disp: 64 * i}, t[i])
	}
	v, low, high, above, some := ZMM(), ZMM(), ZMM(), K(), K()
	look := func() {
		VMOVDQA64(v, low)
		VMOVDQA64(v, high)
		VPMOVB2M(v, above)
		VPERMI2B(t[1], t[0], low)
		VPERMI2B(t[3], t[2], high)
		VMOVDQU8(high, above, low)
	}
	Label("loop")
	CMPQ(n, U8(64))
	JL(LabelRef("rest"))
	VMOVDQU64(Mem{Base: x}, v)
	look()
	VMOVDQU64(low, Mem{Base: dst})
	ADDQ(U8(64), x)
	ADDQ(U8(64), dst)
	SUBQ(U8(64), n)
	JMP(LabelRef("loop"))
	Label("rest")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	bits := GP64()
	MOVQ(I32(-1), bits)
	BZHIQ(n, bits, bits)
	KMOVQ(bits, some)
	VMOVDQU8_Z(Mem{Base: x}, some, v)
	look()
	VMOVDQU8(low, some, Mem{Base: dst})
	Label("done")
	VZEROUPPER()
	RET()
}
