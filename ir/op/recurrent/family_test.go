package recurrent_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/optest"
	"github.com/bbgen/bbgen/ir/op/recurrent"
)

func TestFamily(t *testing.T) { optest.Family(t, recurrent.Ops) }
