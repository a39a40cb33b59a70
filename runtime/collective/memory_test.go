package collective

import (
	"bytes"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// A result reuses the memory of the previous one if that has no readers any more, and other memory otherwise.
func TestResultsTakeTurns(t *testing.T) {
	const n = 16 << 20 // more than [tensor.Memory] reuses
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
		t.Error("memory without readers is not reused")
	}
}

// The pulled data of large values are in memory with a reference count, and are not changed while a reference
// is held, whatever happens to the call.
func TestPulledIsFinal(t *testing.T) {
	for _, a := range []Algorithm{Direct, Tree, Halving, Ring, Pairwise} {
		for ranks := 2; ranks <= 5; ranks++ {
			pulledIsFinal(t, Spec{Elem: tensor.Float32, Op: Mean, Algorithm: a}, ranks)
		}
	}
}

// taken is pulled data, and a copy of them.
type taken struct {
	Message
	was []byte
}

func pulledIsFinal(t *testing.T, s Spec, ranks int) {
	const n = 5 * tensor.Large / 4
	var groups []*Group
	var values []Value
	for r := range ranks {
		g, err := New(Config{Self: r, Ranks: ranks, Streams: []Spec{s}, Chunk: tensor.Large})
		if err != nil {
			t.Fatal(err)
		}
		x := tensor.NewDense[float32](ranks * n)
		for i := range x.Data {
			x.Data[i] = float32(r+1) / float32(i%1000+1)
		}
		v := Value{Rows: 1, Row: ranks * n, Data: tensor.Raw(x.Data), Memory: x.Memory()}
		if err := g.Begin(0, v); err != nil {
			t.Fatal(err)
		}
		groups, values = append(groups, g), append(values, v)
	}
	var all []taken
	for more := true; more; {
		more = false
		for from, g := range groups {
			for to := range groups {
				m, ok := g.Pull(to)
				if !ok {
					continue
				}
				more = true
				all = append(all, hand(t, groups[to], from, m))
			}
		}
	}
	want := s.Evaluate(values)
	for r, g := range groups {
		if got, ok := g.Done(); !ok || !bytes.Equal(got.Data, want[r]) {
			t.Errorf("%v of %d: rank %d has another result, or none: %v", s.Algorithm, ranks, r, got.Err)
		}
	}
	for i := range all {
		if !bytes.Equal(all[i].Data, all[i].was) {
			t.Fatalf("%v of %d: chunk %d was written to when it had been pulled", s.Algorithm, ranks, all[i].Chunk)
		}
	}
}

// hand passes another group's message to a group, in memory of its own.
func hand(t *testing.T, to *Group, from int, m Message) taken {
	x := taken{m, bytes.Clone(m.Data)}
	if len(m.Data) == 0 {
		x.Data = nil
	} else if m.Memory == nil && m.Chunk != lastChunk {
		t.Fatalf("chunk %d has to be copied", m.Chunk)
	}
	m.Memory.Retain()
	memory := tensor.NewMemory(len(m.Data))
	m.Data = append(memory.Bytes()[:0], m.Data...)
	if err := to.ReceiveIn(from, &m, memory); err != nil {
		t.Fatal(err)
	}
	memory.Release()
	return x
}
