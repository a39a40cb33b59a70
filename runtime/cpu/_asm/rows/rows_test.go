package rows

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"
)

// The memory of the tests: rows begin at 1000, and are 100 bytes apart.
const base, stride = 1000, 100

// machine is the contents of registers.
type machine map[reg.Register]int

// address returns the address of an operand in memory.
func (m machine) address(a operand.Mem) int {
	at := m[a.Base] + a.Disp
	if a.Index != nil {
		at += m[a.Index] * int(a.Scale)
	}
	return at
}

// run executes the instructions that this package emits.
func (m machine) run(t *testing.T, list []*ir.Instruction) {
	for _, i := range list {
		to := i.Operands[1].(reg.Register)
		switch from := i.Operands[0].(type) {
		case operand.Mem:
			wantOpcode(t, i, "LEAQ")
			m[to] = m.address(from)
		case reg.Register:
			wantOpcode(t, i, "ADDQ")
			m[to] += m[from]
		case operand.U8:
			wantOpcode(t, i, "ADDQ")
			m[to] += int(from)
		default:
			t.Fatalf("%s of %T", i.Opcode, from)
		}
	}
}

func wantOpcode(t *testing.T, i *ir.Instruction, opcode string) {
	t.Helper()
	if i.Opcode != opcode {
		t.Fatalf("got %s of %s, want %s", i.Opcode, i.Operands[0].Asm(), opcode)
	}
}

// emitted returns the instructions that f emits, before registers are allocated. avo's context is global: what it prints
// goes nowhere.
func emitted(t *testing.T, name string, f func()) (list []*ir.Instruction) {
	t.Helper()
	old := pass.Compile
	defer func() { pass.Compile = old }()
	pass.Compile = pass.Func(func(file *ir.File) error {
		for _, fn := range file.Functions() {
			if fn.Name == name {
				list = fn.Instructions()
			}
		}
		return nil
	})
	build.TEXT(name, attr.NOSPLIT, "func()")
	f()
	if err := flag.Set("out", os.DevNull); err != nil { // which avo closes
		t.Fatal(err)
	}
	build.Generate()
	return list
}

// TestPointers executes what is emitted, and looks where rows are. Nothing is emitted that they do not need.
func TestPointers(t *testing.T) {
	for _, c := range []struct{ rows, instructions, moves int }{
		{1, 0, 1}, {3, 0, 1}, {4, 1, 1}, {5, 1, 1}, {6, 2, 1}, {7, 2, 1}, {8, 3, 1}, {9, 3, 1}, {10, 5, 2}, {16, 5, 2},
	} {
		for _, by := range []operand.Op{operand.U8(12), reg.RDX} {
			var before, after []operand.Mem
			list := emitted(t, fmt.Sprint("rows", c.rows, by.Asm()), func() {
				p := New(reg.RAX, reg.RCX, c.rows)
				for i := range c.rows {
					before = append(before, p.At(i, 8))
				}
				p.Advance(by)
				for i := range c.rows {
					after = append(after, p.At(i, 0))
				}
			})
			made := len(list) - c.moves
			if made != c.instructions {
				t.Fatalf("%d rows: %d instructions, want %d for the pointers and %d to move them", c.rows, len(list), c.instructions, c.moves)
			}
			m := machine{reg.RAX: base, reg.RCX: stride, reg.RDX: 12}
			m.run(t, list[:made])
			for i, a := range before {
				if got, want := m.address(a), base+stride*i+8; got != want {
					t.Errorf("%d rows: row %d is at %d, want %d", c.rows, i, got, want)
				}
			}
			m.run(t, list[made:])
			for i, a := range after {
				if got, want := m.address(a), base+stride*i+12; got != want {
					t.Errorf("%d rows: row %d moves to %d, want %d", c.rows, i, got, want)
				}
			}
		}
	}
}
