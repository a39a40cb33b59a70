package spool

import "os"

// Share is the use of a spool by one peer.
type Share struct {
	files int    // that are open
	bytes uint64 // in those files, including reserved bytes
	held  uint64 // bytes of payloads in memory
}

// room is the limits of a spool for all peers.
type room Share

// maxHeld is how many bytes of received payloads are held in memory at a time.
const maxHeld = 64 << 20

// measure determines how many bytes of files there may be: the free space of the disk, except a tenth for other
// files.
func (s *Spool) measure() {
	dir := s.dir
	if dir == "" {
		dir = os.TempDir()
	}
	free, ok := s.free(dir)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room.bytes = s.used.bytes + free - free/10
}

// remeasure measures beside the loop after a refusal, as others may have made room. The caller holds the lock.
func (s *Spool) remeasure() {
	if s.measuring {
		return
	}
	s.measuring = true
	s.beside.post(func() {
		s.measure()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.measuring = false
	})
}

func (x *Share) take(size uint64) {
	x.files++
	x.bytes += size
}

func (x *Share) give(size uint64) {
	x.files--
	x.bytes -= size
}

// admits reports whether there is room for one more file of a peer, or of this one. A peer may never use more
// than it leaves for the others, so that no peer exhausts the spool alone.
func (r *room) admits(of, used *Share, size uint64) bool {
	own := Share{}
	if of != nil {
		own = *of
	}
	return inFairShare(uint64(own.files), 1, uint64(used.files), uint64(r.files)) && inFairShare(own.bytes, size, used.bytes, r.bytes)
}

// inFairShare is the rule of the engine's limits, for the resources of the host.
func inFairShare(has, more, used, limit uint64) bool {
	return used <= limit && has <= limit-used && more <= limit-used-has
}

// reserve counts a file. The caller holds the lock.
func (s *Spool) reserve(of *Share, size uint64) {
	s.used.take(size)
	if of != nil {
		of.take(size)
	}
}

// unreserve removes a file from the counts. The caller holds the lock.
func (s *Spool) unreserve(of *Share, size uint64) {
	s.used.give(size)
	if of != nil {
		of.give(size)
	}
}

// Hold reserves memory for a value that a peer sends, if there is room and the value need not be in a file.
// [Spool.Unhold] releases the reservation, or [Spool.Held] transfers it to a value.
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

// Unhold releases a reservation of Hold.
func (s *Spool) Unhold(of *Share, size uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.letGo(of, size)
}

// letGo is Unhold for a caller that holds the lock.
func (s *Spool) letGo(of *Share, size uint64) {
	s.used.held -= size
	of.held -= size
}
