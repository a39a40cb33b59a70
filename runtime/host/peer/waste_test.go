package peer

import (
	"testing"
	"time"
)

// Who answers each question once is never too late too often; who answers fifty times is, and
// may go on when time has passed.
func TestWaste(t *testing.T) {
	now := time.Unix(1000, 0)
	var honest, hostile waste
	for range 10000 {
		honest.asked()
		if honest.exceeds(now) {
			t.Fatal("one late answer to each question is too much")
		}
	}
	in := 0
	for range 1000 {
		hostile.asked()
		for range 50 {
			if !hostile.exceeds(now) {
				in++
			}
		}
	}
	if most := wasteBurst + 1000*wasteAsked; in > most || in < most/2 {
		t.Errorf("%d answers in vain are within the limit, want up to %d", in, most)
	}
	if now = now.Add(time.Second); hostile.exceeds(now) {
		t.Error("a second later nothing is allowed")
	}
}
