// Command crc32c writes crc32c_amd64.s of package crc32c.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

const wide = 64 // bytes of a register

// main writes the folding of a message. Four registers hold the first 256 bytes. Each round moves them
// forward over the next 256 bytes: carry-less products replace each 64 bits by the remainder that they leave
// there. At the end the first three registers are moved over the fourth.
func main() {
	kernels.Begin()
	kernels.In("crc32c")
	TEXT("foldVPCLMUL", NOSPLIT, "func(p *byte, n int, state uint32, keys *[4]uint64) uint32")
	Doc("foldVPCLMUL returns the state of a checksum after the n bytes at p, a positive multiple of 256.")
	p, n := Load(Param("p"), GP64()), Load(Param("n"), GP64())
	keys := Load(Param("keys"), GP64())
	z := [4]VecVirtual{ZMM(), ZMM(), ZMM(), ZMM()}
	round, end := ZMM(), ZMM()
	VBROADCASTI32X4(Mem{Base: keys}, round)
	VBROADCASTI32X4(Mem{Base: keys, Disp: 16}, end)
	state := XMM()
	s := Load(Param("state"), GP32())
	VMOVD(s, state) // clears the rest of the register
	VMOVDQU64(Mem{Base: p}, z[0])
	VPXORQ(state.AsZ(), z[0], z[0])
	for i := 1; i < 4; i++ {
		VMOVDQU64(Mem{Base: p, Disp: wide * i}, z[i])
	}
	Label("loop")
	ADDQ(U32(4*wide), p)
	SUBQ(U32(4*wide), n)
	JZ(LabelRef("done"))
	for i, x := range z {
		lo, hi := ZMM(), ZMM()
		VPCLMULQDQ(Imm(0x00), round, x, lo)
		VPCLMULQDQ(Imm(0x11), round, x, hi)
		VMOVDQU64(Mem{Base: p, Disp: wide * i}, x)
		VPTERNLOGQ(Imm(0x96), lo, hi, x) // the sum of the three
	}
	JMP(LabelRef("loop"))
	Label("done")
	for i := range 3 {
		lo, hi := ZMM(), ZMM()
		VPCLMULQDQ(Imm(0x00), end, z[i], lo)
		VPCLMULQDQ(Imm(0x11), end, z[i], hi)
		VPTERNLOGQ(Imm(0x96), lo, hi, z[i+1])
	}
	last := AllocLocal(wide) // it has the same remainder as the whole message
	VMOVDQU64(z[3], last)
	VZEROUPPER()
	sum := GP64()
	XORQ(sum, sum)
	for i := 0; i < wide; i += 8 {
		CRC32Q(last.Offset(i), sum)
	}
	Store(sum.As32(), ReturnIndex(0))
	RET()
	Generate()
}
