package section

import "testing"

// TestMedian leaves the order of the runs as it is.
func TestMedian(t *testing.T) {
	for _, c := range []struct {
		runs []string
		want float64
	}{
		{nil, 0},
		{[]string{"four"}, 4},
		{[]string{"sixteen", "a", "four"}, 4},
		{[]string{"sixteen", "a", "four", "ab"}, 4},
	} {
		before := append([]string{}, c.runs...)
		if got := Median(c.runs, func(s string) float64 { return float64(len(s)) }); got != c.want {
			t.Errorf("%q: got %v, want %v", c.runs, got, c.want)
		}
		for i, s := range before {
			if c.runs[i] != s {
				t.Errorf("%q are in another order: %q", before, c.runs)
			}
		}
	}
}
