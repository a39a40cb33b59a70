package cut

import "testing"

func TestRate(t *testing.T) {
	for _, c := range []struct {
		text string
		want float64 // 0: an error
	}{
		{"100Mbit", 12.5e6}, {"1Gbit/s", 125e6}, {"10MB", 10e6}, {"1.5 KiB", 1536}, {"7B", 7}, {"8bit", 1},
		{"10", 0}, {"MB", 0}, {"-1MB", 0}, {"1Mbyte", 0}, {"NaNMB", 0},
	} {
		got, err := Rate(c.text)
		if got != c.want || (err == nil) != (c.want > 0) {
			t.Errorf("%q: got %v, %v, want %v", c.text, got, err, c.want)
		}
	}
}
