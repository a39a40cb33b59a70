// Package prune removes superfluous instructions from the files that avo compiles.
package prune

import (
	"slices"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
)

// SelfMoves removes moves of a vector register to itself, for which the processor needs time.
func SelfMoves() {
	pass.Compile = pass.Concat(pass.Compile, pass.FunctionPass(func(f *ir.Function) error {
		f.Nodes = slices.DeleteFunc(f.Nodes, func(n ir.Node) bool {
			i, ok := n.(*ir.Instruction)
			return ok && i.Opcode == "VMOVAPS" && operand.IsRegister(i.Operands[0]) && i.Operands[0] == i.Operands[1]
		})
		return nil
	}))
}
