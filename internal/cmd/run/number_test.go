package run

import "testing"

// TestNumber prints whole numbers with all their digits, and others with five.
func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 21: "21", -5: "-5", 664579: "664579", 1 << 53: "9007199254740992",
		1e300: "1e+300", 0.432123456: "0.43212", 71.599998: "71.6", 1234567.5: "1.2346e+06",
	} {
		if got := number(x); got != want {
			t.Errorf("%v: got %s, want %s", x, got, want)
		}
	}
}
