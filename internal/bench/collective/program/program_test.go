package program

import (
	"testing"

	"github.com/bbgen/bbgen/internal/fresh"
)

// TestFresh: the worker links a generated package. Its main can also run without encryption.
func TestFresh(t *testing.T) { fresh.Peers{Dir: "..", OwnMains: true}.Check(t, Program()) }
