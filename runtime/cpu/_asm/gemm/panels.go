package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// panels is the next row of b, in all panels of a kernel.
type panels struct {
	kernel
	at, step Register // the row in the first panel, and the bytes from one row to the next
	one      Register // bytes from one panel to the next, if there are several
	three    Register // and three times that, if there are more than three
}

func newPanels(g kernel, field func(int) Register) *panels {
	b := &panels{kernel: g, at: field(offB), step: field(offLDB)}
	SHLQ(U8(g.form.bytes/2), b.step)
	if g.panels > 1 {
		b.one = field(offPanel)
		SHLQ(U8(g.form.bytes/2), b.one)
		if g.panels > 3 {
			b.three = GP64()
			LEAQ(Mem{Base: b.one, Index: b.one, Scale: 2}, b.three)
		}
	}
	return b
}

// in returns the memory that is p panels and some bytes after a pointer into b.
func (b *panels) in(at Register, p, bytes int) Mem {
	m := Mem{Base: at, Disp: bytes}
	switch p {
	case 1:
		m.Index, m.Scale = b.one, 1
	case 2:
		m.Index, m.Scale = b.one, 2
	case 3:
		m.Index, m.Scale = b.three, 1
	}
	return m
}

// vector returns vector j of the row.
func (b *panels) vector(j int) Mem { return b.in(b.at, j/b.vecs, j%b.vecs*b.lanes()*b.form.bytes) }

// value returns vector j of the row as an operand of float32.
func (b *panels) value(j int) Op {
	if b.form.bytes == 4 {
		return b.vector(j)
	}
	y := b.vec()
	b.form.load(b.isa, b.vector(j), y)
	return y
}

// ask prefetches the lines of a row that is used later, and goes to the next one.
func (b *panels) ask(far Register) {
	for p := range b.panels {
		for line := 0; line < b.vecs*b.lanes()*b.form.bytes; line += 64 {
			PREFETCHT0(b.in(far, p, line))
		}
	}
	ADDQ(b.step, far)
}
