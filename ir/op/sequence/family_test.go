package sequence_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/optest"
	"github.com/bbgen/bbgen/ir/op/sequence"
)

func TestFamily(t *testing.T) { optest.Family(t, sequence.Ops) }
