package contrib_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/optest"
	"github.com/bbgen/bbgen/ir/op/contrib"
)

// TestFamily checks the operators of the family: their cases, schemas, gradients and errors.
func TestFamily(t *testing.T) { optest.Family(t, contrib.Ops) }
