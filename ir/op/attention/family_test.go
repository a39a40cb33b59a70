package attention_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/optest"
	"github.com/bbgen/bbgen/ir/op/attention"
)

func TestFamily(t *testing.T) { optest.Family(t, attention.Ops) }
