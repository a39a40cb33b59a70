package mem_test

import (
	"os"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// All values are shared memory here, and the tests find references that are released too early.
func TestMain(m *testing.M) {
	tensor.Poison(8)
	os.Exit(m.Run())
}
