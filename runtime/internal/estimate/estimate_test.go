package estimate

import "testing"

// The first samples count for little, later ones move the mean by an eighth and the deviation by a quarter.
func TestEstimate(t *testing.T) {
	var e Estimate
	if e.Bound(7) != 7 || e.Deadline(5e9, 60e9) != 5e9 || e.Phi(1e18, 0) != 0 {
		t.Errorf("without samples: %d, %d, %v", e.Bound(7), e.Deadline(5e9, 60e9), e.Phi(1e18, 0))
	}
	for _, x := range []int64{80e6, 160e6, 160e6} {
		e.Add(x)
	}
	// The mean is 80, 90, 98.75 ms, the deviation 40, 50, 55 ms.
	if e.Mean() != 98.75e6 || e.Bound(7) != 318.75e6 {
		t.Errorf("mean %d, bound %d", e.Mean(), e.Bound(7))
	}
	if d := e.Deadline(5e9, 60e9); d != 637.5e6 {
		t.Errorf("deadline %d", d)
	}
	if d := e.Deadline(5e9, 1e6); d != 1e6 {
		t.Errorf("the longest deadline: %d", d)
	}
}

// A peer is suspected when it is silent for longer than usual, and longer than its pings are apart.
func TestPhi(t *testing.T) {
	var e Estimate
	for range 100 {
		e.Add(1e9)
	}
	last := -1.0
	for _, silent := range []int64{0, 1e9, 1.2e9, 1.4e9, 2e9, 1e12, 1e18} {
		phi := e.Phi(silent, 0)
		if !(phi > last) {
			t.Errorf("silent for %d: %v, and %v before", silent, phi, last)
		}
		last = phi
	}
	if e.Phi(1.1e9, 0) >= Suspect || e.Phi(2e9, 0) < Down {
		t.Errorf("a little late: %v; twice as long: %v", e.Phi(1.1e9, 0), e.Phi(2e9, 0))
	}
	if e.Phi(2e9, 10e9) >= Suspect {
		t.Errorf("no ping was due: %v", e.Phi(2e9, 10e9))
	}
	var none Estimate
	if none.Phi(10e9, 1e9) >= Suspect || none.Phi(20e9, 1e9) < Down || none.Phi(5e9, 1e6) >= Suspect || none.Phi(10e9, 1e6) < Down {
		t.Errorf("without a sample: %v after 10 pings, %v after 20; %v after 5 s, %v after 10 s", none.Phi(10e9, 1e9), none.Phi(20e9, 1e9), none.Phi(5e9, 1e6), none.Phi(10e9, 1e6))
	}
}
