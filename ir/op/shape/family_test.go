package shape_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/optest"
	"github.com/bbgen/bbgen/ir/op/shape"
)

func TestFamily(t *testing.T) { optest.Family(t, shape.Ops) }
