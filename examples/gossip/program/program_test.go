package program

import (
	"testing"

	"github.com/bbgen/bbgen/examples/internal/fresh"
)

func TestFresh(t *testing.T) { fresh.Check(t, Program()) }
