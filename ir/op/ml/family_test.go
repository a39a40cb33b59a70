package ml_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/optest"
	"github.com/bbgen/bbgen/ir/op/ml"
)

func TestFamily(t *testing.T) { optest.Family(t, ml.Ops) }
