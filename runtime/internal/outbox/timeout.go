package outbox

// On a channel that loses envelopes, they are sent again after a time without an acknowledgement. The owner of the
// box sets the timers.

// The limits of the time after which envelopes are sent again, ns.
const (
	minTimeout = 10e6
	maxTimeout = 60e9
)

// StartTimer reports whether a timer is to be set now, and for how long: envelopes were sent, and no timer runs.
// First is the time for which the first timer after an acknowledgement runs, ns.
func (b *Box) StartTimer(first int64) (d int64, ok bool) {
	if b.sent == 0 || b.timed {
		return 0, false
	}
	b.timed = true
	b.beginTimeout(first)
	return b.timeout, true
}

// StopTimer records that the timer is over, and nothing is to be sent again.
func (b *Box) StopTimer() { b.timed = false }

// TimedOut records that the timer is over, and returns how many envelopes now are to be sent again. If the first
// of them was sent after the timer was set, it returns 0 and for how long the timer has to be set again. First is that of
// [Box.StartTimer]: an acknowledgement may have come since.
func (b *Box) TimedOut(now, first int64) (again int, d int64) {
	b.timed = false
	if b.sent == 0 || b.IsReleased() {
		return 0, 0
	}
	b.beginTimeout(first)
	if wait := b.timeout - (now - b.At(0).sentAt); wait > 0 {
		b.timed = true
		return 0, wait
	}
	again = b.sent
	for i := range again {
		b.At(i).again = true
	}
	b.sent = 0
	b.recount()
	b.timeout = min(2*b.timeout, maxTimeout)
	return again, 0
}

// beginTimeout sets the time of the first timer after an acknowledgement.
func (b *Box) beginTimeout(first int64) {
	if b.timeout == 0 {
		b.timeout = max(first, minTimeout)
	}
}
