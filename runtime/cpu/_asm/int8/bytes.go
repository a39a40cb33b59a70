package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// sumBytes emits the sum of whole vectors of unsigned bytes.
func sumBytes() {
	TEXT("sumBytesAVX2", NOSPLIT, "func(x *byte, n int) int")
	Doc("sumBytesAVX2 adds up n unsigned bytes; n is a multiple of 32 and not 0.")
	x, n := Load(Param("x"), GP64()), Load(Param("n"), GP64())
	sum, zero, v, sum2 := YMM(), YMM(), YMM(), XMM()
	VPXOR(sum, sum, sum)
	VPXOR(zero, zero, zero)
	Label("loop")
	VPSADBW(Mem{Base: x}, zero, v)
	VPADDQ(v, sum, sum)
	ADDQ(U8(32), x)
	SUBQ(U8(32), n)
	JNZ(LabelRef("loop"))
	VEXTRACTI128(U8(1), sum, sum2)
	VPADDQ(sum2, sum.AsX(), sum.AsX())
	VPSHUFD(U8(0xee), sum.AsX(), sum2)
	VPADDQ(sum2, sum.AsX(), sum.AsX())
	r := GP64()
	VMOVQ(sum.AsX(), r)
	Store(r, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// maxBytes emits the larger of each two bytes.
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
	CMOVQGT(n, i) // some bytes twice, which does no harm
	JMP(LabelRef("loop"))
	Label("done")
	RET()
}
