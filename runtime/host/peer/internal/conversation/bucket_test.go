package conversation

import (
	"testing"
	"time"
)

// TestBucket: a peer may use a burst at once, and then as many per second as the rate says. Time without use counts up
// to a burst.
func TestBucket(t *testing.T) {
	var b Bucket
	now := time.Unix(1, 0)
	take := func(after time.Duration, want int) {
		t.Helper()
		now = now.Add(after)
		got := 0
		for b.Take(now, 3, 2) {
			got++
		}
		if got != want {
			t.Errorf("%v later, %d are taken, want %d", after, got, want)
		}
	}
	take(0, 3)
	take(0, 0)
	take(time.Second/2, 1)
	take(time.Second/4, 0)
	take(time.Second/4, 1)
	take(time.Hour, 3)
}
