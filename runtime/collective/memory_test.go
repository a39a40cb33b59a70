package collective

import (
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// A result stands where the one before stood, if nobody reads that any more, and elsewhere
// if somebody does.
func TestResultsTakeTurns(t *testing.T) {
	const n = 16 << 20 // more than [tensor.Memory] keeps by itself
	g, err := New(Config{Ranks: 1, Streams: []Spec{{Elem: tensor.Float32}}})
	if err != nil {
		t.Fatal(err)
	}
	next := func() *tensor.Memory {
		if err := g.Begin(0, Value{Rows: 1, Row: n, Data: aligned(4 * n)}); err != nil {
			t.Fatal(err)
		}
		r, ok := g.Done()
		if !ok || r.Err != nil || r.Memory == nil {
			t.Fatalf("no result in counted memory: %v", r.Err)
		}
		return r.Memory
	}
	first := next()
	second := next()
	if second == first {
		t.Error("a result is written over that is still read")
	}
	second.Release()
	if third := next(); third != second {
		t.Error("memory that nobody reads is not used again")
	}
}
