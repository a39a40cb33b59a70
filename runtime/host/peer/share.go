package peer

import "math"

// share is what a peer takes up of what a spool has for all.
type share struct {
	files int    // that are open
	bytes uint64 // in those, or that will be
	held  uint64 // bytes of payloads in memory
}

// room is how much a spool has for all.
type room share

// allRoom is as much as anybody wants, but for memory: so many bytes of payloads that
// came wait there at a time.
var allRoom = room{files: math.MaxInt, bytes: math.MaxUint64, held: 64 << 20}

func (x *share) take(size uint64) {
	x.files++
	x.bytes += size
}

func (x *share) give(size uint64) {
	x.files--
	x.bytes -= size
}

// admits reports whether there is room for one more file of a peer, or of this one. A
// peer has no more than is left for the others, so that none uses up alone what is
// there for all.
func (r *room) admits(of, used *share, size uint64) bool {
	own := share{}
	if of != nil {
		own = *of
	}
	return inFairShare(uint64(own.files), 1, uint64(used.files), uint64(r.files)) && inFairShare(own.bytes, size, used.bytes, r.bytes)
}

// inFairShare is the rule of the engine's limits, for what the host counts.
func inFairShare(has, more, used, limit uint64) bool {
	return used <= limit && has <= limit-used && more <= limit-used-has
}

// reserve counts a file. The spool is locked.
func (s *spool) reserve(of *share, size uint64) {
	s.used.take(size)
	if of != nil {
		of.take(size)
	}
}

// unreserve counts one less.
func (s *spool) unreserve(of *share, size uint64) {
	s.used.give(size)
	if of != nil {
		of.give(size)
	}
}

// hold reserves memory for a value that comes, if there is some.
func (s *spool) hold(of *share, size uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if size >= uint64(s.threshold()) || !inFairShare(of.held, size, s.used.held, s.room.held) {
		return false
	}
	s.used.held += size
	of.held += size
	return true
}

// unhold gives back what hold has reserved.
func (s *spool) unhold(of *share, size uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.letGo(of, size)
}

// letGo is unhold for who has locked the spool.
func (s *spool) letGo(of *share, size uint64) {
	s.used.held -= size
	of.held -= size
}
