package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// form is the form of the elements of b in memory.
type form struct {
	kernel string // the begin of the names of kernels
	doc    string
	bytes  int
	load   func(v isa, m Mem, y Register) // loads a vector as float32
}

var (
	float32s = form{"tile", "", 4, func(v isa, m Mem, y Register) { v.load(m, y) }}
	float16s = form{"halfTile", " of a b of float16", 2, func(_ isa, m Mem, y Register) { VCVTPH2PS(m, y) }}
	bfloats  = form{"bfloatTile", " of a b of bfloat16", 2, func(_ isa, m Mem, y Register) {
		VPMOVZXWD(m, y)
		VPSLLD(U8(16), y, y)
	}}
)

// fewHalves emits the micro-kernels for few rows and a b of 16 bits, which is read once: so it is widened in registers.
// For more rows, it is widened in memory before.
func fewHalves() {
	for _, f := range []form{float16s, bfloats} {
		for rows := 1; rows <= 3; rows++ {
			kernel{avx512{}, rows, 4, 2, f}.emit()
			kernel{avx512{}, rows, 1, 2, f}.emit()
			kernel{avx2{}, rows, 1, 4, f}.emit()
		}
		kernel{avx2{}, 1, 2, 4, f}.emit()
	}
}
