package mem_test

import (
	"os"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// All memory is counted here, and what is let go too early is found out.
func TestMain(m *testing.M) {
	tensor.Poison(8)
	os.Exit(m.Run())
}
