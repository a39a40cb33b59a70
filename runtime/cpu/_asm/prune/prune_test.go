package prune

import (
	"slices"
	"testing"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"
)

// TestSelfMoves: moves of a vector register to itself go away, and all others stay.
func TestSelfMoves(t *testing.T) {
	old := pass.Compile
	defer func() { pass.Compile = old }()
	SelfMoves()

	at := operand.Mem{Base: reg.RAX}
	c := build.NewContext()
	c.Function("moves")
	c.SignatureExpr("func()")
	c.VMOVAPS(at, reg.Y1)
	c.VMOVAPS(reg.Y1, reg.Y1)
	c.VMOVAPS(reg.Y1, reg.Y2)
	c.Label("loop")
	c.VMOVAPS(reg.X2, reg.X2) // which clears the upper half of Y2, and is not used for that
	c.VMOVUPS(reg.Y2, reg.Y2)
	c.VMOVAPS(reg.Y2, at)
	c.DECQ(reg.RAX)
	c.JNE(operand.LabelRef("loop"))
	c.RET()
	f, err := c.Result()
	if err != nil {
		t.Fatal(err)
	}
	if err := pass.Compile.Execute(f); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range f.Functions()[0].Instructions() {
		text := i.Opcode
		for _, o := range i.Operands {
			text += " " + o.Asm()
		}
		got = append(got, text)
	}
	want := []string{"VMOVAPS (AX) Y1", "VMOVAPS Y1 Y2", "VMOVUPS Y2 Y2", "VMOVAPS Y2 (AX)", "DECQ AX", "JNE loop", "RET"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
