package vex

import (
	"fmt"
	"testing"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/reg"
)

// The bytes are those that GNU's and LLVM's assemblers write for {vex} vpdpbusd.
func TestDotBytes(t *testing.T) {
	for _, c := range []struct {
		signed, unsigned, acc int
		wide                  bool
		want                  string
	}{
		{3, 2, 1, true, "c4 e2 6d 50 cb"},
		{11, 9, 1, true, "c4 c2 35 50 cb"},
		{1, 12, 8, false, "c4 62 19 50 c1"},
		{15, 15, 15, true, "c4 42 05 50 ff"},
		{0, 0, 0, false, "c4 e2 79 50 c0"},
	} {
		if got := fmt.Sprintf("% x", dotBytes(c.signed, c.unsigned, c.acc, c.wide)); got != c.want {
			t.Errorf("%+v: got %s, want %s", c, got, c.want)
		}
	}
}

// An instruction that VEX does not encode is an error, not other bytes.
func TestEncodeRefuses(t *testing.T) {
	for _, c := range []struct{ signed, unsigned, acc reg.Register }{
		{reg.Y1, reg.Y16, reg.Y2}, {reg.Y1, reg.X2, reg.Y3},
	} {
		f := ir.NewFunction("dot")
		f.AddInstruction(Dot(c.signed, c.unsigned, c.acc))
		if err := Encode(f); err == nil {
			t.Errorf("%v: got %v, want an error", c, f.Instructions()[0].Operands)
		}
	}
	f := ir.NewFunction("dot")
	f.AddInstruction(Dot(reg.Y3, reg.Y2, reg.Y1))
	if err := Encode(f); err != nil {
		t.Fatal(err)
	}
	want := "$0xc4; BYTE $0xe2; BYTE $0x6d; BYTE $0x50; BYTE $0xcb // VPDPBUSD Y3, Y2, Y1"
	if i := f.Instructions()[0]; i.Opcode != "BYTE" || i.Operands[0].Asm() != want {
		t.Errorf("got %s %s, want BYTE %s", i.Opcode, i.Operands[0].Asm(), want)
	}
}
