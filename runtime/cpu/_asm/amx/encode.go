package main

import (
	"encoding/binary"
	"fmt"
	"log"
	"strings"
)

// reg is the number of a general register in encodings.
type reg int

const (
	ax reg = iota
	cx
	dx
	bx
	sp
	bp
	si
	di
	r8
	r9
	r10
	r11
	r12
	r13
)

var regNames = [...]string{"AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13"}

func (r reg) String() string { return regNames[r] }

// tile is a register of up to 16 rows of 64 bytes.
type tile int

func (t tile) String() string { return fmt.Sprint("T", int(t)) }

// rows is the memory of a tile: the distance of its rows in bytes is stride.
type rows struct {
	disp         int32
	base, stride reg
}

func (r rows) String() string {
	if r.disp == 0 {
		return fmt.Sprintf("(%v)(%v*1)", r.base, r.stride)
	}
	return fmt.Sprintf("%d(%v)(%v*1)", r.disp, r.base, r.stride)
}

// Prefixes, as in the last byte of VEX.
const (
	pNone = iota
	p66
	pF3
	pF2
)

// vex returns the three bytes of VEX before an opcode of map 0F38, for 128 bits and W0. It inverts all
// registers.
func vex(prefix int, index, base reg, second tile) []byte {
	const map0F38 = 2
	high := func(r reg) byte { return ^byte(r>>3) & 1 }
	return []byte{0xc4, 1<<7 | high(index)<<6 | high(base)<<5 | map0F38, byte(^second&15)<<3 | byte(prefix)}
}

// load reads a tile.
func (f *file) load(m rows, t tile) { f.memory("TILELOADD", pF2, m, t, fmt.Sprintf("%v, %v", m, t)) }

// loadOnce is load with the hint that the memory is not needed again soon.
func (f *file) loadOnce(m rows, t tile) {
	f.memory("TILELOADDT1", p66, m, t, fmt.Sprintf("%v, %v", m, t))
}

// store writes a tile.
func (f *file) store(t tile, m rows) {
	f.memory("TILESTORED", pF3, m, t, fmt.Sprintf("%v, %v", t, m))
}

func (f *file) memory(name string, prefix int, m rows, t tile, operands string) {
	const opcode, byDisp8, byDisp32, bySIB = 0x4b, 1 << 6, 2 << 6, 4
	b := append(vex(prefix, m.stride, m.base, 0), opcode, byDisp8|byte(t)<<3|bySIB, byte(m.stride&7)<<3|byte(m.base&7))
	if d := int8(m.disp); int32(d) == m.disp {
		b = append(b, byte(d))
	} else {
		b[4] += byDisp32 - byDisp8
		b = binary.LittleEndian.AppendUint32(b, uint32(m.disp))
	}
	f.encoded(b, name+" "+operands)
}

// zero clears a tile.
func (f *file) zero(t tile) {
	const opcode, registers = 0x49, 3 << 6
	f.encoded(append(vex(pF2, 0, 0, 0), opcode, registers|byte(t)<<3), fmt.Sprint("TILEZERO ", t))
}

// dotBytes adds the products of unsigned bytes of a and signed ones of b, four at a time, to c.
func (f *file) dotBytes(b, a, c tile) {
	const opcode, registers = 0x5e, 3 << 6
	f.encoded(append(vex(p66, 0, 0, b), opcode, registers|byte(c)<<3|byte(a)), fmt.Sprintf("TDPBUSD %v, %v, %v", b, a, c))
}

// dotHalves adds the products of bfloat16 of a and b, two at a time, to c.
func (f *file) dotHalves(b, a, c tile) {
	const opcode, registers = 0x5c, 3 << 6
	f.encoded(append(vex(pF3, 0, 0, b), opcode, registers|byte(c)<<3|byte(a)), fmt.Sprintf("TDPBF16PS %v, %v, %v", b, a, c))
}

// configure sets the shapes of all tiles to those in the 64 bytes at disp(base).
func (f *file) configure(disp int, base reg) {
	if int(int8(disp)) != disp {
		log.Fatalf("LDTILECFG: a displacement of %d is not a byte", disp)
	}
	const opcode, byDisp8 = 0x49, 1 << 6
	f.encoded(append(vex(pNone, 0, base, 0), opcode, byDisp8|byte(base&7), byte(disp)), fmt.Sprintf("LDTILECFG %d(%v)", disp, base))
}

// release clears all tiles: then they need not be saved when threads are switched.
func (f *file) release() { f.encoded(append(vex(pNone, 0, 0, 0), 0x49, 0xc0), "TILERELEASE") }

// encoded writes an instruction as bytes.
func (f *file) encoded(b []byte, text string) {
	var s []string
	for _, c := range b {
		s = append(s, fmt.Sprintf("BYTE $0x%02x", c))
	}
	fmt.Fprintf(&f.buf, "\t%s // %s\n", strings.Join(s, "; "), text)
}

// line writes an instruction that the assembler supports.
func (f *file) line(format string, args ...any) { fmt.Fprintf(&f.buf, "\t"+format+"\n", args...) }

func (f *file) label(name string) { fmt.Fprintf(&f.buf, "\n%s:\n", name) }
