package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/rows"
)

// tileWords is a micro-kernel of some rows and 16 columns. [widenRuns] has widened the rows: one product of 32 bits of theirs
// with even bytes of columns is followed by one with odd bytes. Twelve sums, two vectors of columns and two products are all
// registers.
type tileWords struct{ rows int }

func (g tileWords) emit() {
	field := begin(fmt.Sprintf("byteTile%dx16AVX2", g.rows), fmt.Sprintf("%d widened rows and 16 columns", g.rows), "byteTile")
	acc := make([][2]VecVirtual, g.rows)
	for i := range acc {
		for j := range acc[i] {
			acc[i][j] = YMM()
			VPXOR(acc[i][j], acc[i][j], acc[i][j])
		}
	}
	a := rows.New(field(offA), field(offLDA), g.rows)
	b, quads := field(offB), field(offQuads)
	TESTQ(quads, quads)
	JZ(LabelRef("done"))
	Label("loop")
	add := func(ahead int, y [2]VecVirtual) {
		for i := range acc {
			x, p := YMM(), YMM()
			VPBROADCASTD(a.At(i, ahead), x)
			VPMADDWD(y[0], x, p)
			VPADDD(p, acc[i][0], acc[i][0])
			VPMADDWD(y[1], x, x)
			VPADDD(x, acc[i][1], acc[i][1])
		}
	}
	var even, odd [2]VecVirtual
	for j := range even {
		even[j] = YMM()
		evenWords(Mem{Base: b, Disp: 32 * j}, even[j])
	}
	add(0, even)
	for j := range odd {
		odd[j] = YMM()
		oddWords(Mem{Base: b, Disp: 32 * j}, odd[j])
	}
	add(4, odd)
	a.Advance(U8(8))
	ADDQ(U32(128), b)
	DECQ(quads)
	JNZ(LabelRef("loop"))
	Label("done")
	c, ldc := field(offC), field(offLDC)
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

// evenBytes has 1 for the even byte of each two and 0 for the odd one, and lowHalves all bits of the even ones.
var evenBytes, lowHalves Mem

// wordTables emits the tables of kernels that split bytes into even and odd ones.
func wordTables() {
	evenBytes = GLOBL("byteEven", RODATA|NOPTR)
	for i := range 8 {
		DATA(4*i, U32(0x00010001))
	}
	lowHalves = GLOBL("byteLowHalves", RODATA|NOPTR)
	for i := range 8 {
		DATA(4*i, U32(0x00ff00ff))
	}
}

// widenRuns emits the widening of a row for [tileWords].
func widenRuns() {
	TEXT("widenRunsAVX2", NOSPLIT, "func(dst, x *byte, starts *int, runs, quads int) int")
	Doc("widenRunsAVX2 makes words of runs of groups of four bytes, first of the even bytes of a group, then of the odd ones. It returns the sum of all bytes.")
	dst, x := Load(Param("dst"), GP64()), Load(Param("x"), GP64())
	starts, runs, quads := Load(Param("starts"), GP64()), Load(Param("runs"), GP64()), Load(Param("quads"), GP64())
	from, left := GP64(), GP64()
	bytes, words, sum, zero := XMM(), YMM(), XMM(), XMM()
	VPXOR(sum, sum, sum)
	VPXOR(zero, zero, zero)
	// widen moves the words of bytes to words, and adds up bytes.
	widen := func(words Register) {
		VPMOVZXBW(bytes, words)
		VPSADBW(zero, bytes, bytes)
		VPADDQ(bytes, sum, sum)
		VPSHUFLW(U8(0xd8), words, words)
	}
	Label("run")
	MOVQ(Mem{Base: starts}, from)
	ADDQ(x, from)
	MOVQ(quads, left)
	SUBQ(U8(4), left)
	JL(LabelRef("rest"))
	Label("loop")
	VMOVDQU(Mem{Base: from}, bytes)
	widen(words)
	VPSHUFHW(U8(0xd8), words, words)
	VMOVDQU(words, Mem{Base: dst})
	ADDQ(U8(16), from)
	ADDQ(U8(32), dst)
	SUBQ(U8(4), left)
	JGE(LabelRef("loop"))
	Label("rest")
	ADDQ(U8(4), left)
	CMPQ(left, U8(2))
	JL(LabelRef("last"))
	VMOVQ(Mem{Base: from}, bytes)
	widen(words.AsX())
	VPSHUFHW(U8(0xd8), words.AsX(), words.AsX())
	VMOVDQU(words.AsX(), Mem{Base: dst})
	ADDQ(U8(8), from)
	ADDQ(U8(16), dst)
	SUBQ(U8(2), left)
	Label("last")
	TESTQ(left, left)
	JZ(LabelRef("next"))
	VMOVD(Mem{Base: from}, bytes)
	widen(words.AsX())
	VMOVQ(words.AsX(), Mem{Base: dst})
	ADDQ(U8(8), dst)
	Label("next")
	ADDQ(U8(8), starts)
	DECQ(runs)
	JNZ(LabelRef("run"))
	VPSHUFD(U8(0xee), sum, bytes)
	VPADDQ(bytes, sum, sum)
	VMOVQ(sum, from)
	Store(from, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
