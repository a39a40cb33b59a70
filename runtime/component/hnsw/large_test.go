package hnsw

import (
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestLargeNumbers: numbers in a state that do not fit an int of 32 bits are refused there, too.
func TestLargeNumbers(t *testing.T) {
	const large = 1 << 31
	for name, change := range map[string]func(*graph){
		"entry": func(g *graph) { g.entry = large },
		"free":  func(g *graph) { g.free[0] = large },
		"link":  func(g *graph) { g.nodes[0].out[0][0] = large },
	} {
		var x Index
		for i := range 3 {
			if _, err := x.Add(vec(float32(i), 1)); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.Remove(3); err != nil {
			t.Fatal(err)
		}
		change(&x.graph)
		b, err := x.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := new(Index).UnmarshalBinary(b); err == nil {
			t.Errorf("%s: it is read", name)
		}
	}
	s := state{counts: tensor.DenseOf([]uint32{1, large}, 2)}
	if err := s.layers(&graph{nodes: []node{{id: 1}}}); err == nil {
		t.Error("more links than there are")
	}
}
