package quant_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/optest"
	"github.com/bbgen/bbgen/ir/op/quant"
)

func TestFamily(t *testing.T) { optest.Family(t, quant.Ops) }
