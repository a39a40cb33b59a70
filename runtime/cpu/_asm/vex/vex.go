// Package vex emits instructions that neither avo nor Go's assembler knows in their VEX form, as bytes.
package vex

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	opcode    = "VPDPBUSD"
	extension = "AVXVNNI"
)

// VPDPBUSD emits the addition of the products of four signed and four unsigned bytes to each lane of acc. Processors without
// AVX-512 have it with VEX only, and the assembler writes EVEX.
func VPDPBUSD(signed, unsigned, acc reg.Register) { build.Instruction(Dot(signed, unsigned, acc)) }

// Dot returns the instruction that [VPDPBUSD] emits.
func Dot(signed, unsigned, acc reg.Register) *ir.Instruction {
	return &ir.Instruction{
		Opcode:   opcode,
		Operands: []operand.Op{signed, unsigned, acc},
		Inputs:   []operand.Op{signed, unsigned, acc},
		Outputs:  []operand.Op{acc},
		ISA:      []string{extension},
	}
}

// Encode replaces the instructions of this package by bytes, after the allocation of registers.
func Encode(f *ir.Function) error {
	for _, i := range f.Instructions() {
		if len(i.ISA) != 1 || i.ISA[0] != extension {
			continue
		}
		var r [3]int
		for k, op := range i.Operands {
			p := reg.ToPhysical(op.(reg.Register))
			if p == nil || p.PhysicalIndex() > 15 || p.Size() != reg.ToPhysical(i.Operands[0].(reg.Register)).Size() {
				return fmt.Errorf("%s: got operand %s of %s, want three registers of one size that VEX encodes", f.Name, op.Asm(), i.Opcode)
			}
			r[k] = int(p.PhysicalIndex())
		}
		text := fmt.Sprintf("%s %s, %s, %s", i.Opcode, i.Operands[0].Asm(), i.Operands[1].Asm(), i.Operands[2].Asm())
		wide := i.Operands[0].(reg.Register).Size() == 32
		i.Opcode, i.Operands = "BYTE", []operand.Op{encoded{dotBytes(r[0], r[1], r[2], wide), text}}
	}
	return nil
}

// dotBytes returns VEX.66.0F38.W0 50 /r, of 256 bits if wide: acc is in reg of ModRM, unsigned in vvvv and signed in rm.
// VEX has all numbers inverted, and their highest bits apart.
func dotBytes(signed, unsigned, acc int, wide bool) []byte {
	const map0F38, prefix66, registers = 2, 1, 3 << 6
	l := byte(0)
	if wide {
		l = 1 << 2
	}
	high := func(r, bit int) byte { return byte(^r>>3&1) << bit }
	return []byte{
		0xc4,
		high(acc, 7) | 1<<6 | high(signed, 5) | map0F38,
		byte(^unsigned&15)<<3 | l | prefix66,
		0x50,
		registers | byte(acc&7)<<3 | byte(signed&7),
	}
}

// encoded is the bytes of an instruction as the operands of BYTE, and what they say.
type encoded struct {
	bytes []byte
	text  string
}

func (e encoded) Asm() string {
	var s []string
	for _, b := range e.bytes {
		s = append(s, fmt.Sprintf("$0x%02x", b))
	}
	return strings.Join(s, "; BYTE ") + " // " + e.text
}
