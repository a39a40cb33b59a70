package text_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/optest"
	"github.com/bbgen/bbgen/ir/op/text"
)

func TestFamily(t *testing.T) { optest.Family(t, text.Ops) }
