package container

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// Values leave a heap by their time, and those of the same time in the order in which they were added. A value
// that is not kept never leaves it.
func TestHeap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	type value struct {
		at int64
		i  int
	}
	for range 100 {
		var h Heap[value]
		var want []value
		for i := range r.IntN(100) {
			x := value{r.Int64N(20), i}
			want = append(want, x)
			h.Add(x.at, x)
			if r.IntN(8) == 0 {
				slices.SortStableFunc(want, func(a, b value) int { return cmp.Compare(a.at, b.at) })
				if at, x := h.Pop(); at != want[0].at || x != want[0] {
					t.Fatalf("got %v at %d, want %v", x, at, want[0])
				}
				want = want[1:]
			}
		}
		isKept := func(x *value) bool { return x.i%3 > 0 }
		h.Keep(isKept)
		want = slices.DeleteFunc(want, func(x value) bool { return !isKept(&x) })
		slices.SortStableFunc(want, func(a, b value) int { return cmp.Compare(a.at, b.at) })
		copied := h.Clone()
		for _, h := range []*Heap[value]{&copied, &h} {
			for i, x := range want {
				at, first, ok := h.First()
				if !ok || at != x.at || *first != x || h.Len() != len(want)-i {
					t.Fatalf("first of %d is %v at %d, want %v of %d", h.Len(), first, at, x, len(want)-i)
				}
				h.Pop()
			}
			if _, _, ok := h.First(); ok {
				t.Fatal("a value is left")
			}
		}
	}
}

// The heap holds on to nothing that has left it.
func TestHeapForgets(t *testing.T) {
	var h Heap[*int]
	for i := range 9 {
		h.Add(int64(i), new(int))
	}
	h.Pop()
	odd := false
	h.Keep(func(**int) bool { odd = !odd; return odd })
	for _, x := range h.items[h.Len():cap(h.items)] {
		if x.value != nil {
			t.Fatal("a value that was removed is still in memory")
		}
	}
}
