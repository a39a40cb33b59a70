package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

// interleave emits interleaving the elements of k rows, a vector of each row at a time.
func interleave(s isa, k int) {
	name := fmt.Sprintf("interleave%d", k)
	kernels.AtLevel(name, s.name(), "func(dst, src *float32, n, lds int)")
	Doc(fmt.Sprintf("%s takes the elements of %d rows of n floats, lds apart, in turns; n > 0 is a multiple of %d.", name+s.name(), k, s.lanes()))
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	n, lds := Load(Param("n"), GP64()), Load(Param("lds"), GP64()).(GPVirtual)
	bytes(lds)
	vector := s.mixer(k)
	Label("loop")
	rows, at := make([]VecVirtual, k), GP64()
	MOVQ(src, at)
	for i := range rows {
		rows[i] = s.vec()
		load(Mem{Base: at}, rows[i])
		if i < k-1 {
			ADDQ(lds, at)
		}
	}
	for v := range k {
		store(vector(v, rows), Mem{Base: dst, Disp: 4 * s.lanes() * v})
	}
	ADDQ(U8(4*s.lanes()), src)
	ADDQ(U32(4*s.lanes()*k), dst)
	SUBQ(U8(s.lanes()), n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// mixer selects elements of two rows by a permutation, and then of the result and each further row.
func (avx512) mixer(k int) func(v int, rows []VecVirtual) VecVirtual {
	picks := make([][]Mem, k) // for each vector of the result, the permutation for each row after the first
	for v := range picks {
		for row := 1; row < k; row++ {
			picks[v] = append(picks[v], pick(k, v, row))
		}
	}
	index := make([][]VecVirtual, k)
	for v := range picks {
		for _, m := range picks[v] {
			x := ZMM()
			VMOVUPS(m, x)
			index[v] = append(index[v], x)
		}
	}
	return func(v int, rows []VecVirtual) VecVirtual {
		x := ZMM()
		VMOVAPS(rows[0], x)
		for i := 1; i < k; i++ {
			VPERMT2PS(rows[i], index[v][i-1], x)
		}
		return x
	}
}

// pick returns a permutation in which lanes of vector v take row's elements, of k rows, and the others are
// unchanged. The one for row 1 also moves the elements of row 0 to their places.
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

// mixer permutes the elements of each row to the lanes that take them, and selects for each lane the row.
func (avx2) mixer(k int) func(v int, rows []VecVirtual) VecVirtual {
	index := make([]VecVirtual, k)
	for v := range index {
		index[v] = YMM()
		VMOVDQU(element(k, v), index[v])
	}
	return func(v int, rows []VecVirtual) VecVirtual {
		x := YMM()
		VPERMPS(rows[0], index[v], x)
		for i := 1; i < k; i++ {
			y := YMM()
			VPERMPS(rows[i], index[v], y)
			VBLENDPS(U8(lanesOf(k, v, i)), y, x, x)
		}
		return x
	}
}

// element tells which element of its row each lane of vector v takes, of k rows.
func element(k, v int) Mem {
	m := GLOBL(fmt.Sprintf("interleave%dVector%d", k, v), RODATA|NOPTR)
	for lane := range 8 {
		DATA(4*lane, U32((8*v+lane)/k))
	}
	return m
}

// lanesOf returns the lanes of vector v, a bit for each, that take elements of a row, of k rows.
func lanesOf(k, v, row int) (bits int) {
	for lane := range 8 {
		if (8*v+lane)%k == row {
			bits |= 1 << lane
		}
	}
	return bits
}
