package control_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/optest"
	"github.com/bbgen/bbgen/ir/op/control"
)

func TestFamily(t *testing.T) { optest.Family(t, control.Ops) }
