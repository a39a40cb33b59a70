package contrib_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/optest"
	"github.com/bbgen/bbgen/ir/op/contrib"
)

func TestFamily(t *testing.T) { optest.Family(t, contrib.Ops) }
