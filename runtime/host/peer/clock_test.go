package peer

import (
	"testing"
	"time"
)

// A change of the clock is reported once, in either direction; a slow correction is not.
func TestClockJumps(t *testing.T) {
	began := time.Unix(1e9, 0)
	c := clock{began: began}
	set := time.Duration(0)
	for i, by := range []time.Duration{0, time.Second, time.Hour, 0, -2 * time.Hour, 0} {
		passed := time.Duration(i) * time.Second
		set += by
		want := by
		if by == time.Second {
			want = 0
		} else if by == time.Hour {
			want += time.Second // including the part that was not reported before
		}
		if got := c.jumped(began.Add(passed+set), passed); got != want {
			t.Errorf("after %v: set by %v, got %v, want %v", passed, by, got, want)
		}
	}
}
