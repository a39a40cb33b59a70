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
	wide   = 64 // bytes of which there is a whole number
)

func main() {
	kernels.Begin()
	features()
	expand()
	swap, first := constants()
	for _, w := range widths {
		w.add(swap, first, w.next())
	}
	Generate()
}

// features writes a query that package golang.org/x/sys/cpu lacks: it looks for VAES only where there is AVX-512.
func features() {
	TEXT("features7", NOSPLIT, "func() uint32")
	Doc("features7 returns the third word of the extensions of leaf 7, which every processor with AVX2 has.")
	MOVL(U32(7), EAX)
	XORL(ECX, ECX)
	CPUID()
	Store(ECX, ReturnIndex(0))
	RET()
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

// A width is the registers of a kernel.
type width struct {
	level string
	size  int // bytes of a register
	ahead int // registers that are encrypted at a time
	vec   func() VecVirtual
}

var widths = []width{
	{"VAES", 64, 8, func() VecVirtual { return ZMM() }},
	{"VAES256", 32, 8, func() VecVirtual { return YMM() }},
	{"AESNI", 16, 8, func() VecVirtual { return XMM() }},
}

// add writes the loops over x, one for each sign. The counters are numbers in the processor's order until their bytes are
// swapped.
func (w width) add(swap, first, next Mem) {
	TEXT("addKeystream"+w.level, NOSPLIT, "func(x *int32, n int, keys *[176]byte, counter *[2]uint64, sign int32)")
	Doc("addKeystream"+w.level+" adds the keystream from a counter on to the n elements at x, a multiple of 16, or subtracts",
		"it. The lower half of the counter must not overflow.")
	x, n := Load(Param("x"), GP64()), Load(Param("n"), GP64())
	key := w.keys(Load(Param("keys"), GP64()))
	counter, order, step := w.vec(), w.vec(), w.vec()
	w.repeat(Mem{Base: Load(Param("counter"), GP64())}, counter)
	w.load(swap, order)
	w.load(first, step)
	VPADDQ(step, counter, counter)
	w.load(next, step)

	encrypt := func(s []VecVirtual) {
		for i := range s {
			s[i] = w.vec()
			VPSHUFB(order, counter, s[i])
			VPADDQ(step, counter, counter)
		}
		for r := range rounds + 1 {
			k := key(r)
			for i := range s {
				switch r {
				case 0:
					w.xor(k, s[i])
				case rounds:
					VAESENCLAST(k, s[i], s[i])
				default:
					VAESENC(k, s[i], s[i])
				}
			}
		}
	}
	loops := func(name string, put func(s VecVirtual, at Mem)) {
		part := func(registers int) {
			s := make([]VecVirtual, registers)
			encrypt(s)
			for i := range s {
				put(s[i], Mem{Base: x, Disp: w.size * i})
			}
			ADDQ(U32(uint32(w.size*registers)), x)
		}
		loop(n, name+"Many", w.ahead, w.size, part, name+"Few")
		loop(n, name+"Few", wide/w.size, w.size, part, "done")
	}

	sign := Load(Param("sign"), GP32())
	TESTL(sign, sign)
	JS(LabelRef("minusMany"))
	loops("plus", func(s VecVirtual, at Mem) {
		VPADDD(at, s, s)
		w.store(s, at)
	})
	loops("minus", func(s VecVirtual, at Mem) {
		v := w.vec()
		w.load(at, v)
		VPSUBD(s, v, v)
		w.store(v, at)
	})
	Label("done")
	if w.size > block {
		VZEROUPPER()
	}
	RET()
}

// keys returns a function that returns the key of a round: it is kept in a register if there are enough.
func (w width) keys(keys Register) func(r int) VecVirtual {
	if w.size < 64 {
		k := w.vec()
		return func(r int) VecVirtual {
			w.repeat(Mem{Base: keys, Disp: block * r}, k)
			return k
		}
	}
	var k [rounds + 1]VecVirtual
	for r := range k {
		k[r] = w.vec()
		w.repeat(Mem{Base: keys, Disp: block * r}, k[r])
	}
	return func(r int) VecVirtual { return k[r] }
}

// repeat loads a block into all blocks of a register.
func (w width) repeat(m Mem, to VecVirtual) {
	switch w.size {
	case 64:
		VBROADCASTI32X4(m, to)
	case 32:
		VBROADCASTI128(m, to)
	default:
		VMOVDQU(m, to)
	}
}

func (w width) load(m Mem, to VecVirtual) {
	if w.size == 64 {
		VMOVDQU32(m, to)
	} else {
		VMOVDQU(m, to)
	}
}

func (w width) store(x VecVirtual, m Mem) {
	if w.size == 64 {
		VMOVDQU32(x, m)
	} else {
		VMOVDQU(x, m)
	}
}

func (w width) xor(k, x VecVirtual) {
	if w.size == 64 {
		VPXORQ(k, x, x)
	} else {
		VPXOR(k, x, x)
	}
}

// next returns what is added to the counters from register to register.
func (w width) next() Mem {
	m := GLOBL("keystreamNext"+w.level, RODATA|NOPTR)
	for i := range w.size / block {
		DATA(block*i, U64(0))
		DATA(block*i+8, U64(uint64(w.size/block)))
	}
	return m
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

// constants returns the order of bytes in a counter, and what is added to the counters of a register at the beginning.
func constants() (swap, first Mem) {
	swap = GLOBL("keystreamSwap", RODATA|NOPTR)
	for i := range wide {
		DATA(i, U8(uint8(i&^7|7-i&7)&15))
	}
	first = GLOBL("keystreamFirst", RODATA|NOPTR)
	for i := range wide / block {
		DATA(block*i, U64(0))
		DATA(block*i+8, U64(uint64(i)))
	}
	return swap, first
}
