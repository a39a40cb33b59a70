package partitioner

import (
	"math/rand/v2"
	"testing"
)

// A cutSet has what a map of indexes has, also beyond the first word.
func TestCutSet(t *testing.T) {
	cuts := make([]*Cut, maxCuts)
	for i := range cuts {
		cuts[i] = &Cut{Index: i}
	}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		a, b, both := map[int]bool{}, map[int]bool{}, map[int]bool{}
		var s, u cutSet
		for range rng.IntN(200) {
			i, k := rng.IntN(maxCuts), rng.IntN(maxCuts)
			a[i], b[k], both[i], both[k] = true, true, true, true
			s.add(cuts[i])
			u.add(cuts[k])
		}
		isSet(t, cuts, s, a)
		isSet(t, cuts, u, b)
		isSet(t, cuts, s.or(u), both)
		isSet(t, cuts, s, a) // or changes neither
		if s.or(u) != u.or(s) || s.or(s) != s {
			t.Errorf("seed %d: or depends on the order", seed)
		}
	}
}

func isSet(t *testing.T, cuts []*Cut, s cutSet, want map[int]bool) {
	t.Helper()
	if s.count() != len(want) || s.isEmpty() != (len(want) == 0) {
		t.Errorf("%d cut points, want %d", s.count(), len(want))
	}
	for i, c := range cuts {
		if s.has(c) != want[i] {
			t.Errorf("has cut point %d: %v, want %v", i, s.has(c), want[i])
		}
	}
}

// The set of one cut point has that one only.
func TestSetOf(t *testing.T) {
	for _, i := range []int{0, 1, 63, 64, maxCuts - 1} {
		s := setOf(&Cut{Index: i})
		if s.count() != 1 || !s.has(&Cut{Index: i}) || s.has(&Cut{Index: (i + 1) % maxCuts}) {
			t.Errorf("the set of cut point %d is %v", i, s)
		}
	}
}
