// Command keystream writes keystream_amd64.s.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

const (
	rounds = 10 // of AES-128
	block  = 16 // bytes
	wide   = 64 // bytes of a register, which are four blocks
	ahead  = 8  // registers that are encrypted at a time
)

func main() {
	kernels.Begin()
	expand()
	swap, first, next, one := constants()
	add(swap, first, next)
	addBlocks(swap, one)
	Generate()
}

// expand writes the expansion of a key. Each round key is the one before it, whose words are summed from the first
// on, plus the last word rotated and substituted.
func expand() {
	TEXT("expandKeyAESNI", NOSPLIT, "func(keys *[176]byte, key *[16]byte)")
	Doc("expandKeyAESNI writes the round keys of a key.")
	keys, key := Load(Param("keys"), GP64()), Load(Param("key"), GP64())
	k, t := XMM(), XMM()
	VMOVDQU(Mem{Base: key}, k)
	VMOVDQU(k, Mem{Base: keys})
	constant := uint8(1)
	for i := 1; i <= rounds; i++ {
		word := XMM()
		VAESKEYGENASSIST(Imm(uint64(constant)), k, word)
		VPSHUFD(Imm(0xff), word, word)
		for range 3 {
			VPSLLDQ(Imm(4), k, t)
			VPXOR(t, k, k)
		}
		VPXOR(word, k, k)
		VMOVDQU(k, Mem{Base: keys, Disp: 16 * i})
		constant = constant<<1 ^ 0x1b&-(constant>>7)
	}
	RET()
}

// add writes the loop over x. The counters are numbers in the processor's order until their bytes are swapped.
func add(swap, first, next Mem) {
	TEXT("addKeystreamVAES", NOSPLIT, "func(x *int32, n int, keys *[176]byte, counter *[2]uint64, sign int32)")
	Doc("addKeystreamVAES adds the keystream from a counter on to the n elements at x, a multiple of 16, or subtracts",
		"it. The lower half of the counter must not overflow.")
	x, n := Load(Param("x"), GP64()), Load(Param("n"), GP64())
	keys := Load(Param("keys"), GP64())
	var k [rounds + 1]VecVirtual
	for i := range k {
		k[i] = ZMM()
		VBROADCASTI32X4(Mem{Base: keys, Disp: 16 * i}, k[i])
	}
	counter, order, step, negative := ZMM(), ZMM(), ZMM(), ZMM()
	VBROADCASTI32X4(Mem{Base: Load(Param("counter"), GP64())}, counter)
	VPADDQ(first, counter, counter)
	VMOVDQU64(swap, order)
	VMOVDQU64(next, step)
	sign := XMM()
	VMOVD(Load(Param("sign"), GP32()), sign)
	VPBROADCASTD(sign, negative)
	VPSRAD(Imm(31), negative, negative) // -v is (v ^ -1) - -1

	part := func(registers int) {
		s := make([]VecVirtual, registers)
		for i := range s {
			s[i] = ZMM()
			VPSHUFB(order, counter, s[i])
			VPADDQ(step, counter, counter)
			VPXORQ(k[0], s[i], s[i])
		}
		for r := 1; r < rounds; r++ {
			for i := range s {
				VAESENC(k[r], s[i], s[i])
			}
		}
		for i := range s {
			VAESENCLAST(k[rounds], s[i], s[i])
			VPXORD(negative, s[i], s[i])
			VPSUBD(negative, s[i], s[i])
			VPADDD(Mem{Base: x, Disp: wide * i}, s[i], s[i])
			VMOVDQU32(s[i], Mem{Base: x, Disp: wide * i})
		}
		ADDQ(U32(uint32(wide*registers)), x)
	}
	loop(n, "many", ahead, wide, part, "few")
	loop(n, "few", 1, wide, part, "done")
	Label("done")
	VZEROUPPER()
	RET()
}

// addBlocks writes the same loop for registers of one block. There are no registers left for the keys of all rounds.
func addBlocks(swap, one Mem) {
	TEXT("addKeystreamAESNI", NOSPLIT, "func(x *int32, n int, keys *[176]byte, counter *[2]uint64, sign int32)")
	Doc("addKeystreamAESNI adds the keystream from a counter on to the n elements at x, a multiple of 16, or subtracts",
		"it. The lower half of the counter must not overflow.")
	x, n := Load(Param("x"), GP64()), Load(Param("n"), GP64())
	keys := Load(Param("keys"), GP64())
	counter, order, step, negative, k := XMM(), XMM(), XMM(), XMM(), XMM()
	VMOVDQU(Mem{Base: Load(Param("counter"), GP64())}, counter)
	VMOVDQU(swap, order)
	VMOVDQU(one, step)
	VMOVD(Load(Param("sign"), GP32()), negative)
	VPBROADCASTD(negative, negative)
	VPSRAD(Imm(31), negative, negative)

	part := func(registers int) {
		s := make([]VecVirtual, registers)
		for r := range rounds + 1 {
			VMOVDQU(Mem{Base: keys, Disp: block * r}, k)
			for i := range s {
				switch r {
				case 0:
					s[i] = XMM()
					VPSHUFB(order, counter, s[i])
					VPADDQ(step, counter, counter)
					VPXOR(k, s[i], s[i])
				case rounds:
					VAESENCLAST(k, s[i], s[i])
				default:
					VAESENC(k, s[i], s[i])
				}
			}
		}
		for i := range s {
			VPXOR(negative, s[i], s[i])
			VPSUBD(negative, s[i], s[i])
			VPADDD(Mem{Base: x, Disp: block * i}, s[i], s[i])
			VMOVDQU(s[i], Mem{Base: x, Disp: block * i})
		}
		ADDQ(U32(uint32(block*registers)), x)
	}
	loop(n, "many", ahead, block, part, "few")
	loop(n, "few", wide/block, block, part, "done")
	Label("done")
	RET()
}

// loop writes a loop of parts of some registers, as long as there are elements enough for one.
func loop(n Register, name string, registers, size int, part func(registers int), end string) {
	elements := uint32(size / 4 * registers)
	Label(name)
	CMPQ(n, U32(elements))
	JL(LabelRef(end))
	part(registers)
	SUBQ(U32(elements), n)
	JMP(LabelRef(name))
}

// constants returns the order of bytes in a counter, what is added to the four counters of a register at the
// beginning, and from register to register, and that for a register of one block.
func constants() (swap, first, next, one Mem) {
	swap = GLOBL("keystreamSwap", RODATA|NOPTR)
	for i := range wide {
		DATA(i, U8(uint8(i&^7|7-i&7)&15))
	}
	first = GLOBL("keystreamFirst", RODATA|NOPTR)
	for i := range wide / 16 {
		DATA(16*i, U64(0))
		DATA(16*i+8, U64(uint64(i)))
	}
	next = GLOBL("keystreamNext", RODATA|NOPTR)
	for i := range wide / 16 {
		DATA(16*i, U64(0))
		DATA(16*i+8, U64(uint64(wide/16)))
	}
	one = GLOBL("keystreamOne", RODATA|NOPTR)
	DATA(0, U64(0))
	DATA(8, U64(1))
	return swap, first, next, one
}
