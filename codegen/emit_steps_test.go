package codegen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
)

// TestUnknownStep: a node that has no code of its own is a fault, and is not left out.
func TestUnknownStep(t *testing.T) {
	for _, n := range []*ir.Node{
		{Op: "Recv", Domain: peer.WireDomain, Name: "n"},
		{Op: "Add", Name: "n"},
	} {
		if got := printed(n); !strings.HasPrefix(got, "BUG: no way to print a step for") {
			t.Errorf("%s: got %q", n.Op, got)
		}
	}
}

// printed returns the panic of a step's printing, or "".
func printed(n *ir.Node) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	jen.BlockFunc(func(g *jen.Group) { new(frameEmitter).emitNode(g, &partitioner.Step{Node: n}) })
	return ""
}
