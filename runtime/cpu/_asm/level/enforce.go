package level

import (
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"
)

// Enforce makes the generation of a kernel fail if the kernel uses instructions that its level lacks.
func Enforce() { pass.Compile = pass.Concat(pass.Compile, pass.FunctionPass(check)) }

func check(f *ir.Function) error {
	name := Of(f.Name)
	has := append(Extensions(name), baseline...)
	for _, i := range f.Instructions() {
		for _, e := range required(i) {
			if !slices.Contains(has, e) {
				return fmt.Errorf("%s: %s needs %s, want extensions of level %q only: %v", f.Name, text(i), e, name, has)
			}
		}
	}
	return nil
}

// required returns the extensions of an instruction with allocated registers. avo chooses the form earlier,
// and only considers the extensions of forms. But registers from 16 on can only be encoded with AVX-512.
func required(i *ir.Instruction) []string {
	es := i.ISA
	for _, op := range i.Operands {
		for _, r := range operand.Registers(op) {
			if p := reg.ToPhysical(r); p != nil && r.Kind() == reg.KindVector && p.PhysicalIndex() >= 16 {
				es = append(slices.Clip(es), "AVX512F")
			}
		}
	}
	return es
}

// text returns the instruction in the assembler's syntax.
func text(i *ir.Instruction) string {
	s := i.OpcodeWithSuffixes()
	for _, op := range i.Operands {
		s += " " + op.Asm()
	}
	return s
}
