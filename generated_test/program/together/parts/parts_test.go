package parts

import (
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime"
)

// TestDraw: each rank and round has numbers of its own, which are always the same.
func TestDraw(t *testing.T) {
	var seen [][]float32
	for rank := range 3 {
		var s Source
		if err := s.Open(runtime.Env{Rank: rank}); err != nil {
			t.Fatal(err)
		}
		for round := range int64(3) {
			got, err := s.Draw(round)
			if err != nil || !slices.Equal(got.Shape, []int{11, 3}) || len(got.Data) != 33 {
				t.Fatalf("rank %d, round %d: %d numbers of shape %v, %v, want 11 rows of 3", rank, round, len(got.Data), got.Shape, err)
			}
			if again := Value(rank, round); !slices.Equal(again.Data, got.Data) {
				t.Errorf("rank %d, round %d: got %v and %v", rank, round, got.Data, again.Data)
			}
			for _, other := range seen {
				if other[0] == got.Data[0] {
					t.Errorf("rank %d, round %d: the numbers are those of another rank or round", rank, round)
				}
			}
			seen = append(seen, got.Data)
		}
	}
}

// TestSum: the numbers are finite, and differ so much in size that their sum depends on the order.
func TestSum(t *testing.T) {
	x := Value(1, 2).Data
	sum := func(x []float32) (s float32) {
		for _, v := range x {
			s += v
		}
		return s
	}
	forward := sum(x)
	slices.Reverse(x)
	if backward := sum(x); forward == backward || math.IsInf(float64(forward), 0) || forward != forward {
		t.Errorf("the sums are %v and %v, want two finite ones", forward, backward)
	}
}

// TestState: there is none.
func TestState(t *testing.T) {
	s := Source{rank: 3}
	b, err := s.AppendBinary([]byte("before"))
	if err != nil || string(b) != "before" {
		t.Errorf("got %q, %v, want nothing more", b, err)
	}
	if err := s.UnmarshalBinary(nil); err != nil || s.rank != 3 {
		t.Errorf("got rank %d, %v, want that of the environment", s.rank, err)
	}
}
