package conversation

import "time"

// Bucket is a token bucket: a limit on a burst, and on the rate per second.
type Bucket struct {
	tokens float64
	last   time.Time // zero: the bucket is full
}

// Take takes a token, and reports whether there was one.
func (b *Bucket) Take(now time.Time, burst, rate float64) bool {
	if b.last.IsZero() {
		b.tokens = burst
	} else {
		b.tokens = min(burst, b.tokens+now.Sub(b.last).Seconds()*rate)
	}
	b.last = now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}
