package math_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/optest"
	"github.com/bbgen/bbgen/ir/op/math"
)

func TestFamily(t *testing.T) { optest.Family(t, math.Ops) }
