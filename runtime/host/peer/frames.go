package peer

import (
	"io"
	"time"
)

// Frames reads messages off a stream, each behind its length, for servers that are no
// peers.
type Frames = frames

// NewFrames reads a stream. A message that has begun must go on within the time stall.
func NewFrames(s Stream, stall time.Duration) *Frames { return newFrames(s, stall) }

// SetIdle says how long the next message may be waited for; 0 is for ever.
func (f *frames) SetIdle(d time.Duration) { f.idle = d }

// Next appends the next message, of at most limit bytes, to b.
func (f *frames) Next(b []byte, limit int) ([]byte, error) { return f.read(b, limit) }

// Fill reads bytes that follow a message, as many as b has.
func (f *frames) Fill(b []byte) error { return f.fill(b) }

// Skip reads n bytes that follow a message, and forgets them.
func (f *frames) Skip(n int64) error {
	for n > 0 {
		if err := f.s.SetReadDeadline(time.Now().Add(f.stall)); err != nil {
			return err
		}
		k, err := io.CopyN(io.Discard, f.r, min(n, step))
		if err != nil {
			return cutShort(err)
		}
		n -= k
	}
	return nil
}
