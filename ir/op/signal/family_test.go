package signal_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/optest"
	"github.com/bbgen/bbgen/ir/op/signal"
)

func TestFamily(t *testing.T) { optest.Family(t, signal.Ops) }
