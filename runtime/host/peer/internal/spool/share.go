package spool

import (
	"os"

	"github.com/bbgen/bbgen/runtime/host/machine"
)

// Share is what a peer takes up of what a spool has for all.
type Share struct {
	files int    // that are open
	bytes uint64 // in those, or that will be
	held  uint64 // bytes of payloads in memory
}

// room is how much a spool has for all.
type room Share

// maxHeld is how many bytes of payloads that came wait in memory at a time.
const maxHeld = 64 << 20

// measure finds out how many bytes of files there may be: what the disk has, but for a
// tenth for all else that is written there.
func (s *Spool) measure() {
	dir := s.dir
	if dir == "" {
		dir = os.TempDir()
	}
	free := machine.Free(dir)
	if free == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room.bytes = s.used.bytes + free - free/10
}

func (x *Share) take(size uint64) {
	x.files++
	x.bytes += size
}

func (x *Share) give(size uint64) {
	x.files--
	x.bytes -= size
}

// admits reports whether there is room for one more file of a peer, or of this one. A
// peer has no more than is left for the others, so that none uses up alone what is
// there for all.
func (r *room) admits(of, used *Share, size uint64) bool {
	own := Share{}
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
func (s *Spool) reserve(of *Share, size uint64) {
	s.used.take(size)
	if of != nil {
		of.take(size)
	}
}

// unreserve counts one less.
func (s *Spool) unreserve(of *Share, size uint64) {
	s.used.give(size)
	if of != nil {
		of.give(size)
	}
}

// Hold reserves memory for a value of a peer that comes, if there is some and the value
// need not be in a file. It is given back with unhold, or is that of a value then that
// takes it, see [Spool.Held].
func (s *Spool) Hold(of *Share, size uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if size >= uint64(s.threshold()) || !inFairShare(of.held, size, s.used.held, s.room.held) {
		return false
	}
	s.used.held += size
	of.held += size
	return true
}

// Unhold gives back what hold has reserved.
func (s *Spool) Unhold(of *Share, size uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.letGo(of, size)
}

// letGo is unhold for who has locked the spool.
func (s *Spool) letGo(of *Share, size uint64) {
	s.used.held -= size
	of.held -= size
}
