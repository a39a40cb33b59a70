package image_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/optest"
	"github.com/bbgen/bbgen/ir/op/image"
)

func TestFamily(t *testing.T) { optest.Family(t, image.Ops) }
