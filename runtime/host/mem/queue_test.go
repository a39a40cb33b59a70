package mem

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// Calls occur in the order of their time, and for equal times in the order of planning.
func TestQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var q queue
	var waits, done []happening
	take := func() {
		i := 0
		for j := range waits {
			if cmp.Or(cmp.Compare(waits[j].at, waits[i].at), cmp.Compare(waits[j].seq, waits[i].seq)) < 0 {
				i = j
			}
		}
		x := q.next()
		if x.at != waits[i].at || x.seq != waits[i].seq {
			t.Fatalf("after %d: %d planned as number %d, want %d of %d", len(done), x.at, x.seq, waits[i].at, waits[i].seq)
		}
		done = append(done, x)
		waits = slices.Delete(waits, i, i+1)
	}
	for range 3000 {
		if q.Len() > 0 && r.IntN(100) < 45 {
			take()
			continue
		}
		at := r.Int64N(50)
		q.plan(at, nil)
		waits = append(waits, happening{at: at, seq: q.seq})
	}
	for q.Len() > 0 {
		take()
	}
	if len(waits) > 0 {
		t.Errorf("%d never happened", len(waits))
	}
}
