package training_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/optest"
	"github.com/bbgen/bbgen/ir/op/training"
)

func TestFamily(t *testing.T) { optest.Family(t, training.Ops) }
