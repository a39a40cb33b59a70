package post

import (
	"testing"

	"github.com/bbgen/bbgen/internal/fresh"
)

func TestFresh(t *testing.T) { fresh.Peers{Dir: "peer"}.Check(t, Program()) }
