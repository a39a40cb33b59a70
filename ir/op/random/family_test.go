package random_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/optest"
	"github.com/bbgen/bbgen/ir/op/random"
)

func TestFamily(t *testing.T) { optest.Family(t, random.Ops) }
