package linear_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/optest"
	"github.com/bbgen/bbgen/ir/op/linear"
)

func TestFamily(t *testing.T) { optest.Family(t, linear.Ops) }
