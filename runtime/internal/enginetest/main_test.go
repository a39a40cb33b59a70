package enginetest

import (
	"os"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// The tests find references that are released too early.
func TestMain(m *testing.M) {
	tensor.Poison(tensor.Large)
	os.Exit(m.Run())
}
