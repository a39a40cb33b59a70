package main

import (
	"fmt"
	"math"
)

// opcode is an instruction on vectors of four float32 or int32 with all register numbers zero.
// Source: Arm Architecture Reference Manual, C7.2.
type opcode struct {
	name string
	code uint32
	n    int  // operands that are read
	acc  bool // the first of them is the destination as well
}

var (
	fadd   = opcode{"FADD", 0x4E20D400, 2, false}
	fsub   = opcode{"FSUB", 0x4EA0D400, 2, false}
	fmul   = opcode{"FMUL", 0x6E20DC00, 2, false}
	fdiv   = opcode{"FDIV", 0x6E20FC00, 2, false}
	fmax   = opcode{"FMAX", 0x4E20F400, 2, false} // NaN if either is
	fmin   = opcode{"FMIN", 0x4EA0F400, 2, false}
	faddp  = opcode{"FADDP", 0x6E20D400, 2, false}
	fcmeq  = opcode{"FCMEQ", 0x4E20E400, 2, false}
	fcmge  = opcode{"FCMGE", 0x6E20E400, 2, false}
	fcmgt  = opcode{"FCMGT", 0x6EA0E400, 2, false}
	and    = opcode{"AND", 0x4E201C00, 2, false}
	orr    = opcode{"ORR", 0x4EA01C00, 2, false}
	add    = opcode{"ADD", 0x4EA08400, 2, false}
	sub    = opcode{"SUB", 0x6EA08400, 2, false}
	mul    = opcode{"MUL", 0x4EA09C00, 2, false}
	fsqrt  = opcode{"FSQRT", 0x6EA1F800, 1, false}
	fabs   = opcode{"FABS", 0x4EA0F800, 1, false}
	scvtf  = opcode{"SCVTF", 0x4E21D800, 1, false}
	fcvtns = opcode{"FCVTNS", 0x4E21A800, 1, false}
	fmla   = opcode{"FMLA", 0x4E20CC00, 3, true} // d += a·b, rounded once
	fmls   = opcode{"FMLS", 0x4EA0CC00, 3, true} // d -= a·b, rounded once
	bsl    = opcode{"BSL", 0x6E601C00, 3, true}  // d = a where d has ones, else b
)

// sshr and shl shift by an immediate.
func sshr(n uint32) opcode {
	return opcode{fmt.Sprintf("SSHR $%d", n), 0x4F000400 | (64-n)<<16, 1, false}
}

func shl(n uint32) opcode {
	return opcode{fmt.Sprintf("SHL $%d", n), 0x4F005400 | (32+n)<<16, 1, false}
}

// emit writes op with registers: the destination, then the other operands.
func (f *file) emit(op opcode, d int, in ...int) {
	code, names := op.code|uint32(d), fmt.Sprintf("V%d", d)
	for i, r := range in {
		code |= uint32(r) << (5 + 11*i)
		names += fmt.Sprintf(", V%d", r)
	}
	f.word(code, "%s.4S %s", op.name, names)
}

// move copies a register.
func (f *file) move(d, s int) { f.emit(orr, d, s, s) }

// fmlaLane is d += a·b[lane].
func (f *file) fmlaLane(d, a, b, lane int) {
	code := uint32(0x4F801000) | uint32(lane&1)<<21 | uint32(lane>>1)<<11 | uint32(b)<<16 | uint32(a)<<5 | uint32(d)
	f.word(code, "FMLA.4S V%d, V%d, V%d[%d]", d, a, b, lane)
}

// splat fills a register with its first lane.
func (f *file) splat(d int) { f.word(0x4E040400|uint32(d)<<5|uint32(d), "DUP.4S V%d, V%d[0]", d, d) }

func floatBits(x float64) uint32 { return math.Float32bits(float32(x)) }
