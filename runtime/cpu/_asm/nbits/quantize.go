package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

var quantizeConstants = kernels.NewConstants("nbitsQuantize")

// quantizeStep is the number of elements that the kernel quantizes at a time, of which a block is a multiple.
const quantizeStep = 16

// quantize emits the quantization of the blocks of a row for weights of the given bits.
func quantize(bits int) {
	kernels.Text(fmt.Sprintf("nbits%dQuantizeAVX2", bits), "func(dst *byte, x *float32, q *nbitsBlock, blocks, block int)")
	Doc(fmt.Sprintf("nbits%dQuantizeAVX2 is quantizeNBits of blocks of a multiple of %d elements.", bits, quantizeStep))
	k := quantizer{bits: bits}
	k.dst, k.x = Load(Param("dst"), GP64()), Load(Param("x"), GP64())
	q, blocks := Load(Param("q"), GP64()), Load(Param("blocks"), GP64())
	k.block = Load(Param("block"), GP64())
	k.abs, k.byte, k.zero = YMM(), YMM(), YMM()
	VPCMPEQD(k.abs, k.abs, k.abs)
	VPSRLD(U8(24), k.abs, k.byte)
	VPSRLD(U8(1), k.abs, k.abs)
	VPXOR(k.zero, k.zero, k.zero)
	Label("block")
	largest := k.largest()
	most, factor, step := XMM(), XMM(), XMM()
	VMOVUPS(quantizeConstants.At(127), most)
	VDIVSS(most, largest, step)
	VMOVSS(step, Mem{Base: q, Disp: blockStep})
	VDIVSS(largest, most, factor)
	const notLess = 0x1d // and no NaN
	VCMPPS(U8(notLess), quantizeConstants.At(0x1p-100), largest, largest)
	VANDPS(largest, factor, factor)
	sum, number := k.bytes(factor), XMM()
	VCVTDQ2PS(sum, number)
	VMOVSS(number, Mem{Base: q, Disp: blockSum})
	VPSUBD(sum, k.zero.AsX(), sum)
	VPSLLD(U8(bits-1), sum, sum)
	VMOVD(sum, Mem{Base: q, Disp: blockStart})
	ADDQ(U8(blockSize), q)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// quantizer is the registers of a kernel of quantize.
type quantizer struct {
	bits            int
	dst, x, block   Register
	abs, byte, zero VecVirtual // masks of amounts and of the lowest byte, and zeros
}

// largest returns the largest amount of a block, as an integer, of which NaN is the largest.
func (k *quantizer) largest() VecVirtual {
	at, left, most := GP64(), GP64(), YMM()
	MOVQ(k.x, at)
	MOVQ(k.block, left)
	VMOVDQU(k.zero, most)
	Label("largest")
	for i := range quantizeStep / 8 {
		v := YMM()
		VPAND(Mem{Base: at, Disp: 32 * i}, k.abs, v)
		VPMAXUD(v, most, most)
	}
	ADDQ(U8(4*quantizeStep), at)
	SUBQ(U8(quantizeStep), left)
	JNZ(LabelRef("largest"))
	one, other := most.AsX(), XMM()
	VEXTRACTI128(U8(1), most, other)
	VPMAXUD(other, one, one)
	for _, swap := range []uint8{0x4e, 0xb1} {
		VPSHUFD(U8(swap), one, other)
		VPMAXUD(other, one, one)
	}
	return one.(VecVirtual)
}

// bytes writes the quantized elements of a block, moves on behind it, and returns their sum.
func (k *quantizer) bytes(factor VecVirtual) VecVirtual {
	f, magic, flip, sum, left := YMM(), YMM(), XMM(), XMM(), GP64()
	VBROADCASTSS(factor, f)
	VMOVUPS(quantizeConstants.At(3<<22), magic) // its sum with a small number has that, rounded, in the lowest byte
	VPBROADCASTD(flipOf(8), flip)
	VMOVDQU(k.zero.AsX(), sum)
	MOVQ(k.block, left)
	Label("bytes")
	low, high, b := YMM(), YMM(), XMM()
	for i, v := range []VecVirtual{low, high} {
		VMULPS(Mem{Base: k.x, Disp: 32 * i}, f, v)
		VADDPS(magic, v, v)
		VPAND(k.byte, v, v)
	}
	VPACKUSDW(high, low, low) // of each half of both
	VPERMQ(U8(0xd8), low, low)
	VEXTRACTI128(U8(1), low, b)
	VPACKUSWB(b, low.AsX(), b)
	flipped := XMM()
	VPXOR(flip, b, flipped)
	VPSADBW(k.zero.AsX(), flipped, flipped)
	VPADDQ(flipped, sum, sum)
	if k.bits == 4 {
		VPSHUFB(word("nbitsOrder"), b, b)
	}
	VMOVDQU(b, Mem{Base: k.dst})
	ADDQ(U8(4*quantizeStep), k.x)
	ADDQ(U8(quantizeStep), k.dst)
	SUBQ(U8(quantizeStep), left)
	JNZ(LabelRef("bytes"))
	other, added := XMM(), GP64()
	VPSHUFD(U8(0x4e), sum, other)
	VPADDQ(other, sum, sum)
	MOVQ(k.block, added) // 128 of each byte, which the flip has added
	SHLQ(U8(7), added)
	VMOVQ(added, other)
	VPSUBD(other, sum, sum)
	return sum
}

// orderOfNibbles emits the order in which eight elements are multiplied with weights of 4 bits: the even ones first.
func orderOfNibbles() {
	GLOBL("nbitsOrder", RODATA|NOPTR)
	for i, first := range []uint64{0, 8} {
		DATA(8*i, U64(0x0705030106040200+first*0x0101010101010101))
	}
}
