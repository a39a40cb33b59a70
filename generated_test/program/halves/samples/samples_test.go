package samples

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// batch is what a source returns.
type batch struct {
	x      tensor.Dense[float32]
	word   tensor.Dense[int64]
	y      tensor.Dense[float32]
	weight tensor.Dense[float32]
}

// of calls a method of a source.
func of(t *testing.T) func(x tensor.Dense[float32], word tensor.Dense[int64], y, weight tensor.Dense[float32], err error) batch {
	return func(x tensor.Dense[float32], word tensor.Dense[int64], y, weight tensor.Dense[float32], err error) batch {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return batch{x, word, y, weight}
	}
}

func (b batch) equal(c batch) bool {
	return slices.Equal(b.x.Data, c.x.Data) && slices.Equal(b.word.Data, c.word.Data) && slices.Equal(b.y.Data, c.y.Data) && slices.Equal(b.weight.Data, c.weight.Data)
}

// TestOf: the targets of numbers a, b, c and d and of a word are a·b and c - word/4.
func TestOf(t *testing.T) {
	const size = 3
	b := of(t)((&Source{Seed: 5, Size: size}).Of(7))
	if !slices.Equal(b.x.Shape, []int{size, 4}) || !slices.Equal(b.word.Shape, []int{size}) || !slices.Equal(b.y.Shape, []int{size, 2}) || !slices.Equal(b.weight.Shape, []int{size, 2}) {
		t.Fatalf("the shapes are %v, %v, %v and %v", b.x.Shape, b.word.Shape, b.y.Shape, b.weight.Shape)
	}
	for i := range size {
		x, word, y := b.x.Data[4*i:4*i+4], b.word.Data[i], b.y.Data[2*i:2*i+2]
		if slices.Min(x) < -1 || slices.Max(x) >= 1 || slices.Min(x) == slices.Max(x) || word < 0 || word > 4 {
			t.Errorf("row %d has the numbers %v and the word %d", i, x, word)
		}
		if want := []float32{x[0] * x[1], x[2] - []float32{0, 0.25, 0.5, 0.75, 1}[word]}; !slices.Equal(y, want) {
			t.Errorf("row %d has the targets %v, want %v", i, y, want)
		}
		if w := b.weight.Data[2*i : 2*i+2]; !slices.Equal(w, []float32{0.125, 0.0625}) {
			t.Errorf("row %d has the weights %v", i, w)
		}
	}
}

// TestNextBatch: batches are those of rounds 0, 1, 2 and so on, after a restart, too. Each round and seed has others.
func TestNextBatch(t *testing.T) {
	fresh := func() *Source { return &Source{Seed: 5, Size: 2} }
	s := fresh()
	for round := range int64(4) {
		if round == 2 {
			s = statetest.Restart(t, s, fresh())
		}
		got, want := of(t)(s.NextBatch()), of(t)(fresh().Of(round))
		if !got.equal(want) {
			t.Errorf("batch %d is %v, want %v", round, got, want)
		}
		if got.equal(of(t)(fresh().Of(round + 1))) {
			t.Errorf("batch %d is that of another round, too", round)
		}
		if got.equal(of(t)((&Source{Seed: 6, Size: 2}).Of(round))) {
			t.Errorf("batch %d is that of another seed, too", round)
		}
	}
	if err := s.UnmarshalBinary(make([]byte, 9)); err == nil {
		t.Error("a byte more than a number is accepted")
	}
}
