package peer

import "time"

// clock finds out when somebody has set the machine's. All that waits goes by time that
// never jumps; invitations and what is written down do not.
type clock struct {
	began time.Time
	ahead time.Duration // of the time that has passed, as far as was told
}

// minJump is what is told of: less is what NTP does all the time.
const minJump = 2 * time.Second

// jumped returns by how much the clock was set since it was asked last. Passed is time
// that does not jump.
func (c *clock) jumped(now time.Time, passed time.Duration) time.Duration {
	ahead := now.Round(0).Sub(c.began.Round(0)) - passed
	d := ahead - c.ahead
	if d.Abs() < minJump {
		return 0
	}
	c.ahead = ahead
	return d
}

// watchClock tells if the clock was set.
func (h *host) watchClock() {
	now := time.Now()
	if d := h.clock.jumped(now, now.Sub(h.clock.began)); d != 0 {
		h.log.Warn("the clock was set, or the machine slept: invitations expire by it", "by", d)
	}
}
