package strategies

import (
	"testing"

	"github.com/bbgen/bbgen/internal/fresh"
)

func TestFresh(t *testing.T) { fresh.Peers{Dir: "peer", Warnings: 8}.Check(t, Program()) }
