package conv_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/optest"
	"github.com/bbgen/bbgen/ir/op/conv"
)

func TestFamily(t *testing.T) { optest.Family(t, conv.Ops) }
