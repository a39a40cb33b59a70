package reduce_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/optest"
	"github.com/bbgen/bbgen/ir/op/reduce"
)

func TestFamily(t *testing.T) { optest.Family(t, reduce.Ops) }
