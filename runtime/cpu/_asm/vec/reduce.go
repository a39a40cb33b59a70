package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/bbgen/bbgen/runtime/cpu/_asm/kernels"
)

// reductions emits the sums of the rows and of the columns of a matrix, of its elements, their squares or absolute values.
func reductions(v isa, f formulas) {
	sumRows(v, "Sum", func(x Register) Register { return x })
	sumRows(v, "Square", func(x Register) Register { return v.mul(x, x) })
	sumRows(v, "Abs", f.abs)
	sumColumns(v, "Sum", func(x, acc Register) { VADDPS(x, acc, acc) })
	sumColumns(v, "Square", func(x, acc Register) { VFMADD231PS(x, x, acc) })
	sumColumns(v, "Abs", func(x, acc Register) { VADDPS(f.abs(x), acc, acc) })
}

// sumRows emits a sum for each row of at most 64 elements. The rows are whole groups.
func sumRows(v isa, name string, term func(x Register) Register) {
	kernels.AtLevel("vec"+name+"Rows", v.name(), "func(dst, x []float32, n int)")
	g := newGroup(v)
	dst, x := Load(Param("dst").Base(), GP64()), Load(Param("x").Base(), GP64())
	rows := Load(Param("dst").Len(), GP64())
	Label("group")
	g.rows("row", func(r groupRow) {
		var acc []Register
		r.each(func(m mask, at func(Register) Mem) { acc = append(acc, term(m.load(at(x)))) })
		r.sum(acc)
	})
	VMOVUPS(g.sums(), Mem{Base: dst})
	ADDQ(U8(4*v.lanes()), dst)
	g.next(rows, "group")
	VZEROUPPER()
	RET()
}

// sumColumns emits adding the sums of some rows, which have the length of dst, to dst.
func sumColumns(v isa, name string, add func(x, acc Register)) {
	kernels.Variant("vec"+name+"Columns", v.name(), "func(dst, x []float32, rows int)")
	dst, x := Load(Param("dst").Base(), GP64()), Load(Param("x").Base(), GP64())
	n, stride := Load(Param("dst").Len(), GP64()), GP64()
	LEAQ(Mem{Base: n, Index: n, Scale: 1}, stride)
	ADDQ(stride, stride)
	for _, vectors := range []int{8, 2, 1} {
		label := fmt.Sprint("vectors", vectors)
		size := vectors * v.lanes()
		Label(label)
		CMPQ(n, I32(size))
		JL(LabelRef(label + "done"))
		block(v, label, dst, x, stride, vectors, whole{v}, add)
		ADDQ(I32(4*size), dst)
		ADDQ(I32(4*size), x)
		SUBQ(I32(size), n)
		JMP(LabelRef(label))
		Label(label + "done")
	}
	TESTQ(n, n)
	JZ(LabelRef("done"))
	block(v, "rest", dst, x, stride, 1, v.first(n), add)
	Label("done")
	VZEROUPPER()
	RET()
}

// block emits the sums of some vectors of columns.
func block(v isa, name string, dst, x, stride Register, vectors int, m mask, add func(x, acc Register)) {
	row, left := GP64(), Load(Param("rows"), GP64())
	MOVQ(x, row)
	at := func(base Register, j int) Mem { return Mem{Base: base, Disp: 4 * j * v.lanes()} }
	acc := make([]Register, vectors)
	for j := range acc {
		a := v.vec()
		VXORPS(a.AsY(), a.AsY(), a.AsY())
		acc[j] = a
	}
	Label(name + "row")
	for j := range acc {
		add(m.load(at(row, j)), acc[j])
	}
	ADDQ(stride, row)
	DECQ(left)
	JNZ(LabelRef(name + "row"))
	for j := range acc {
		m.store(v.add(m.load(at(dst, j)), acc[j]), at(dst, j))
	}
}
