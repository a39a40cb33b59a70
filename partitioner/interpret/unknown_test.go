package interpret

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
)

// TestUnknownStep: a node that is executed in another way, or in none, is a fault, and is no call of a component.
func TestUnknownStep(t *testing.T) {
	n := &ir.Node{Op: "Any", Domain: peer.SyscallDomain, Name: "n"}
	if got := executed(n); !strings.HasPrefix(got, "BUG: no way to execute") {
		t.Errorf("got %q", got)
	}
}

// executed returns the panic or the error of a node's execution.
func executed(n *ir.Node) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	s := &System{Peers: Peers{}}
	return fmt.Sprint(s.node(&frame{peer: &process{}}, &partitioner.Step{Node: n}))
}
