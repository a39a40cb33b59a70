// Package rows computes the addresses of the rows of a matrix in assembly.
package rows

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Pointers addresses up to 16 rows at a fixed distance with two pointers and odd multiples of
// the distance.
type Pointers struct {
	base, base9   Register
	l, l3, l5, l7 Register
}

// New emits the pointers for rows that begin at base, stride bytes apart.
func New(base, stride Register, rows int) *Pointers {
	r := &Pointers{base: base, l: stride}
	if rows > 3 {
		r.l3 = GP64()
		LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, r.l3)
	}
	if rows > 5 {
		r.l5 = GP64()
		LEAQ(Mem{Base: stride, Index: stride, Scale: 4}, r.l5)
	}
	if rows > 7 {
		r.l7 = GP64()
		LEAQ(Mem{Base: r.l3, Index: stride, Scale: 4}, r.l7)
	}
	if rows > 9 {
		r.base9 = GP64()
		LEAQ(Mem{Base: stride, Index: stride, Scale: 8}, r.base9)
		ADDQ(base, r.base9)
	}
	return r
}

// At returns the memory of row i, a few bytes ahead.
func (r *Pointers) At(i, ahead int) Mem {
	m := Mem{Base: r.base, Disp: ahead}
	if i >= 9 {
		m.Base = r.base9
		i -= 9
	}
	switch i {
	case 0:
	case 1, 2, 4, 8:
		m.Index, m.Scale = r.l, uint8(i)
	case 3, 6:
		m.Index, m.Scale = r.l3, uint8(i/3)
	case 5:
		m.Index, m.Scale = r.l5, 1
	case 7:
		m.Index, m.Scale = r.l7, 1
	}
	return m
}

// Advance emits moving all rows by n bytes, a constant or a register.
func (r *Pointers) Advance(n Op) {
	ADDQ(n, r.base)
	if r.base9 != nil {
		ADDQ(n, r.base9)
	}
}
