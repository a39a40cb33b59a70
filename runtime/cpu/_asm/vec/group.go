package main

import (
	"fmt"
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// group is as many rows as a vector has lanes, which are computed at once. A row has 1 to 64 elements. The rows' sums are
// added up in one tree, whose result has the sum of row i in lane i: a row alone waits for each of the steps of its own.
type group struct {
	isa
	last    mask     // of the last vector of a row
	stride  Register // bytes from row to row
	at      Register // bytes before the current group
	scratch Register // partBytes for each row, and then the vectors of [group.note]
}

// A row's sum is a part of 8 lanes in scratch first.
const partBytes = 32

// notes is the number of vectors behind the parts.
const notes = 2

// newGroup prepares groups of rows of n elements.
func newGroup(v isa) *group {
	size := 4 * v.lanes()
	local := AllocLocal(v.lanes()*partBytes + (notes+1)*size)
	g := &group{isa: v, stride: GP64(), at: GP64(), scratch: GP64()}
	LEAQ(local.Offset(size-1), g.scratch)
	ANDQ(I8(-size), g.scratch)
	rest := Load(Param("n"), GP64())
	LEAQ(Mem{Base: rest, Index: rest, Scale: 1}, g.stride)
	ADDQ(g.stride, g.stride)
	DECQ(rest)
	ANDQ(U8(v.lanes()-1), rest)
	INCQ(rest)
	g.last = v.first(rest)
	if m, ok := g.last.(vmask); ok {
		g.last = fullOrPart{m}
	}
	XORQ(g.at, g.at)
	return g
}

// fullOrPart is a vmask that may have all lanes.
type fullOrPart struct{ vmask }

func (m fullOrPart) store(v Register, x Mem) {
	m.storeIf(8, func() { VMOVUPS(v, x) })
	m.vmask.store(v, x)
}

// rows emits body for each row of the group, for each number of vectors that a row may have. In it, row is the number of
// the row times four.
func (g *group) rows(name string, body func(r groupRow)) {
	n, most := Load(Param("n"), GP64()), 64/g.lanes()
	label := func(vectors int, what string) string { return fmt.Sprint(name, vectors, what) }
	i, row, to := GP64(), GP64(), GP64()
	MOVQ(g.at, i)
	MOVQ(g.scratch, to)
	XORQ(row, row)
	for vectors := range most - 1 {
		CMPQ(n, U8((vectors+1)*g.lanes()))
		JLE(LabelRef(label(vectors+1, "")))
	}
	for vectors := most; vectors > 0; vectors-- {
		Label(label(vectors, ""))
		body(groupRow{g, vectors, i, row, to})
		ADDQ(g.stride, i)
		ADDQ(U8(partBytes), to)
		ADDQ(U8(4), row)
		CMPQ(row, U8(4*g.lanes()))
		JL(LabelRef(label(vectors, "")))
		if vectors > 1 {
			JMP(LabelRef(name + "done"))
		}
	}
	Label(name + "done")
}

// next goes to the next group, and to a label unless there was none.
func (g *group) next(rows Register, again string) {
	size := GP64()
	MOVQ(g.stride, size)
	SHLQ(U8(bits.TrailingZeros(uint(g.lanes()))), size)
	ADDQ(size, g.at)
	SUBQ(U8(g.lanes()), rows)
	JG(LabelRef(again))
}

// note keeps a vector of one number for each row; [groupRow.noted] reads it.
func (g *group) note(k int, v Register) { VMOVUPS(v, g.noted(k)) }

func (g *group) noted(k int) Mem {
	return Mem{Base: g.scratch, Disp: g.lanes() * (partBytes + 4*k)}
}

// groupRow is a row of a group.
type groupRow struct {
	*group
	vectors    int // that it has
	i, row, to Register
}

// each emits body for the vectors of the row.
func (r groupRow) each(body func(m mask, at func(base Register) Mem)) {
	for j := range r.vectors {
		m := mask(whole{r.isa})
		if j == r.vectors-1 {
			m = r.last
		}
		body(m, func(base Register) Mem { return Mem{Base: base, Index: r.i, Scale: 1, Disp: 4 * j * r.lanes()} })
	}
}

// noted returns a number of [group.note] in all lanes.
func (r groupRow) noted(k int) Register {
	x := r.vec()
	m := r.group.noted(k)
	m.Index, m.Scale = r.row, 1
	VBROADCASTSS(m, x)
	return x
}

// sum adds the vectors of the row in the order of VecSum32, as far as its part.
func (r groupRow) sum(acc []Register) {
	for n := 32 / r.lanes(); n > 0; n /= 2 {
		for j := range min(n, max(0, len(acc)-n)) {
			acc[j] = r.add(acc[j], acc[j+n])
		}
	}
	part := acc[0].(VecVirtual).AsY()
	if r.lanes() == 16 {
		high := YMM()
		VEXTRACTF64X4(U8(1), acc[0], high)
		VADDPS(high, part, part)
	}
	VMOVUPS(part, Mem{Base: r.to})
}

// sums adds up the parts in halves, as VecSum32 does.
func (g *group) sums() Register {
	vs := g.beside()
	if g.lanes() == 16 {
		vs = g.fold(vs, func(a, b, to Register, high bool) { VSHUFF32X4(U8(imm(high, 0x88, 0xdd)), b, a, to) })
	}
	vs = g.fold(vs, func(a, b, to Register, high bool) {
		if high {
			VUNPCKHPD(b, a, to)
		} else {
			VUNPCKLPD(b, a, to)
		}
	})
	vs = g.fold(vs, func(a, b, to Register, high bool) { VSHUFPS(U8(imm(high, 0x88, 0xdd)), b, a, to) })
	zero := g.vec()
	VXORPS(zero.AsY(), zero.AsY(), zero.AsY())
	return g.add(vs[0], zero) // no sum is -0
}

// beside returns vectors of two rows each: the parts with AVX-512, the sums of their halves with AVX2. The rows are in the
// order that leaves all in order in the end.
func (g *group) beside() (vs []Register) {
	if g.lanes() == 16 {
		for _, pair := range [][2]int{{0, 4}, {8, 12}, {1, 5}, {9, 13}, {2, 6}, {10, 14}, {3, 7}, {11, 15}} {
			first, v := YMM(), g.vec()
			VMOVUPS(g.part(pair[0], 0), first)
			VINSERTF64X4(U8(1), g.part(pair[1], 0), first.AsZ(), v)
			vs = append(vs, v)
		}
		return vs
	}
	for i := range 4 {
		var halves [2]VecVirtual
		for k := range halves {
			first := XMM()
			halves[k] = g.vec()
			VMOVUPS(g.part(i, k*partBytes/2), first)
			VINSERTF128(U8(1), g.part(i+4, k*partBytes/2), first.AsY(), halves[k])
		}
		vs = append(vs, g.add(halves[0], halves[1]))
	}
	return vs
}

// part returns the part of a row, or what is some bytes after its beginning.
func (g *group) part(row, after int) Mem { return Mem{Base: g.scratch, Disp: partBytes*row + after} }

// fold adds the low parts of neighbors to the high ones.
func (g *group) fold(vs []Register, part func(a, b, to Register, high bool)) (out []Register) {
	for i := 0; i < len(vs); i += 2 {
		low, high := g.vec(), g.vec()
		part(vs[i], vs[i+1], low, false)
		part(vs[i], vs[i+1], high, true)
		out = append(out, g.add(low, high))
	}
	return out
}

func imm(high bool, low, other uint8) uint8 {
	if high {
		return other
	}
	return low
}
