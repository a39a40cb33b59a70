package plan

import (
	"testing"

	"github.com/bbgen/bbgen/ir"
)

// TestFirst: the first node of a block is that of the first step that has one, of whatever type.
func TestFirst(t *testing.T) {
	n, last := &ir.Node{Name: "first"}, &Call{Node: &ir.Node{Name: "last"}}
	for _, c := range []struct {
		steps []Step
		want  *ir.Node
	}{
		{nil, nil},
		{[]Step{&Grow{}, &Copy{}}, nil},
		{[]Step{&Grow{}, &Call{Node: n}, last}, n},
		{[]Step{&Chain{Calls: []*Call{{Node: n}}}, last}, n},
		{[]Step{&If{Node: n}, last}, n},
		{[]Step{&Loop{Node: n}, last}, n},
		{[]Step{&Scan{Node: n}, last}, n},
	} {
		if got := (&Block{Steps: c.steps}).First(); got != c.want {
			t.Errorf("%v: got %v, want %v", c.steps, got, c.want)
		}
	}
}
