package norm_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/optest"
	"github.com/bbgen/bbgen/ir/op/norm"
)

func TestFamily(t *testing.T) { optest.Family(t, norm.Ops) }
