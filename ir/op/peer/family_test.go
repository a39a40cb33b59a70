package peer_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/optest"
	"github.com/bbgen/bbgen/ir/op/peer"
)

func TestFamily(t *testing.T) { optest.Family(t, peer.Ops) }
