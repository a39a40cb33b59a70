package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// interleave emits taking the elements of k rows in turns, 16 of each row at a time.
func interleave(k int) {
	picks := make([][]Mem, k) // for each vector of the result, where each row after the first comes in
	for v := range picks {
		for row := 1; row < k; row++ {
			picks[v] = append(picks[v], pick(k, v, row))
		}
	}
	name := fmt.Sprintf("interleave%dAVX512", k)
	TEXT(name, NOSPLIT, "func(dst, src *float32, n, lds int)")
	Doc(fmt.Sprintf("%s takes the elements of %d rows of n floats, lds apart, in turns; n > 0 is a multiple of 16.", name, k))
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	n, lds := Load(Param("n"), GP64()), Load(Param("lds"), GP64()).(GPVirtual)
	bytes(lds)
	index := make([][]VecVirtual, k)
	for v := range picks {
		for _, m := range picks[v] {
			x := ZMM()
			VMOVUPS(m, x)
			index[v] = append(index[v], x)
		}
	}
	Label("loop")
	rows, at := make([]VecVirtual, k), GP64()
	MOVQ(src, at)
	for i := range rows {
		rows[i] = ZMM()
		VMOVUPS(Mem{Base: at}, rows[i])
		if i < k-1 {
			ADDQ(lds, at)
		}
	}
	for v := range k {
		x := ZMM()
		VMOVAPS(rows[0], x)
		for i := 1; i < k; i++ {
			VPERMT2PS(rows[i], index[v][i-1], x)
		}
		VMOVUPS(x, Mem{Base: dst, Disp: 64 * v})
	}
	ADDQ(U8(64), src)
	ADDQ(U32(64*k), dst)
	SUBQ(U8(16), n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// pick says which lanes of vector v take row's elements, of k rows; the others stay. The step for row 1 brings those of
// row 0 to their places, too.
func pick(k, v, row int) Mem {
	m := GLOBL(fmt.Sprintf("interleave%dVector%dRow%d", k, v, row), RODATA|NOPTR)
	for lane := range 16 {
		from, element := (16*v+lane)%k, (16*v+lane)/k
		x := lane
		switch {
		case from == row:
			x = 16 + element
		case row == 1 && from == 0:
			x = element
		}
		DATA(4*lane, U32(x))
	}
	return m
}
