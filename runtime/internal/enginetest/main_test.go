package enginetest

import (
	"os"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// What is let go too early is found out.
func TestMain(m *testing.M) {
	tensor.Poison(tensor.Large)
	os.Exit(m.Run())
}
