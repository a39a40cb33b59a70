package randomprogram

import (
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner/interpret"
)

// TestMayFail checks that a kernel may fail only in a program with a kernel that does.
func TestMayFail(t *testing.T) {
	const program = `module "m"
opset 25, ai.bytesandbrains.syscall 1

func @main() -> (%%a.present) {
  const %%a.present: bool[] = true
  const %%x: float32[4] = [1, 2, 3, 4]
  const %%i: int64[] = %d

  %%start = ai.bytesandbrains.syscall:Pulse() : !trigger @a
  %%y = Gather(%%x, %%i) : float32[] @a
}
`
	peers := interpret.Peers{{Class: "a"}}
	for index, want := range map[int]bool{1: false, 9: true} {
		m, err := ir.Parse("m", fmt.Sprintf(program, index))
		if err != nil {
			t.Fatal(err)
		}
		e, err := uncut(m, peers)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.mayFail(); got != want {
			t.Errorf("element %d of 4: a kernel may fail: %t, want %t", index, got, want)
		}
	}
}
