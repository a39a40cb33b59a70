package extremes

import "testing"

// TestRecent: samples are forgotten after one or two periods, but not as long as there are no others.
func TestRecent(t *testing.T) {
	var r Recent
	if r.Least() != 0 || r.Most() != 0 {
		t.Errorf("got %d and %d of no samples, want 0", r.Least(), r.Most())
	}
	for _, tt := range []struct{ now, x, least, most int64 }{
		{1, 5, 5, 5},
		{2, 3, 3, 5},
		{period - 1, 9, 3, 9},
		{period, 4, 3, 9},
		{2*period - 1, 8, 3, 9},
		{2 * period, 7, 4, 8},
		{9 * period, 6, 6, 6},
	} {
		if r.Add(tt.now, tt.x); r.Least() != tt.least || r.Most() != tt.most {
			t.Errorf("at %d: got %d and %d, want %d and %d", tt.now, r.Least(), r.Most(), tt.least, tt.most)
		}
	}
}
