package activation_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/optest"
	"github.com/bbgen/bbgen/ir/op/activation"
)

func TestFamily(t *testing.T) { optest.Family(t, activation.Ops) }
