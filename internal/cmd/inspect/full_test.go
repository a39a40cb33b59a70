package inspect

import (
	"errors"
	"testing"
)

var errFull = errors.New("no space left")

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestFull tests that a report that cannot be printed is a failure.
func TestFull(t *testing.T) {
	for _, args := range [][]string{{}, {"--json"}, {"--plan"}} {
		cmd := Command()
		cmd.SetArgs(append(args, "../../../examples/digits/digits.onnx"))
		cmd.SetOut(full{})
		if err := cmd.ExecuteContext(t.Context()); !errors.Is(err, errFull) {
			t.Errorf("%v: got %v, want %v", args, err, errFull)
		}
	}
}
