package runtime

// inbox knows which envelopes have come on the present connection to a peer.
type inbox struct {
	next   uint64 // all up to here have come
	window uint64 // bit i: next+1+i has come too
	saved  uint64 // next when the last snapshot was taken
	safe   uint64 // all up to here would survive a restart
	told   uint64 // the acknowledgement that went out last
	due    bool   // one should go out though nothing changed: the peer sent something twice
}

// windowBits is how far ahead of a gap an envelope is taken.
const windowBits = 64

// has reports whether an envelope has come, and whether it would be taken.
func (b *inbox) has(seq uint64) (come, ok bool) {
	if seq <= b.next {
		return true, true
	}
	ahead := seq - b.next - 1
	return ahead < windowBits && b.window&(1<<ahead) != 0, ahead < windowBits
}

// take notes an envelope, and reports whether it is new. What is too far ahead
// is not taken: it comes again.
func (b *inbox) take(seq uint64) (isNew, ok bool) {
	switch {
	case seq <= b.next:
		return false, true
	case seq-b.next > windowBits:
		return false, false
	}
	bit := uint64(1) << (seq - b.next - 1)
	if b.window&bit != 0 {
		return false, true
	}
	b.window |= bit
	for b.window&1 != 0 {
		b.window >>= 1
		b.next++
	}
	return true, true
}
