package peer

import (
	"time"
)

// clock detects changes of the machine's clock. Timers use time that never jumps; invitations and recorded
// times do not.
type clock struct {
	began time.Time
	ahead time.Duration // the part of the difference that was reported
}

// minJump is the smallest jump that is reported: NTP constantly makes smaller corrections.
const minJump = 2 * time.Second

// jumped returns by how much the clock was changed since the last call. Passed is time that does not jump.
func (c *clock) jumped(now time.Time, passed time.Duration) time.Duration {
	ahead := now.Round(0).Sub(c.began.Round(0)) - passed
	d := ahead - c.ahead
	if d.Abs() < minJump {
		return 0
	}
	c.ahead = ahead
	return d
}

// watchClock reports a change of the clock.
func (h *host) watchClock() {
	now := time.Now()
	if d := h.clock.jumped(now, now.Sub(h.clock.began)); d != 0 {
		h.log.Warn("the clock was set, or the machine slept: invitations expire by it", "by", d)
	}
}
