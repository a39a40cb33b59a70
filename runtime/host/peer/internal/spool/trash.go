package spool

import "github.com/bbgen/bbgen/runtime/host/disk"

// doomed is a file to be removed.
type doomed struct {
	f    disk.File // nil: it was never made or opened
	name string    // "": it has none
	of   *Share    // the peer in whose share it counts, or nil
	size uint64
}

// discard closes and removes a file outside of the loop, and then removes it from the counts. The caller holds
// the lock.
func (s *Spool) discard(d doomed) {
	s.beside.post(func() {
		if d.f != nil {
			d.f.Close()
		}
		if d.name != "" {
			s.disk.Remove(d.name)
		}
		if d.size > 0 {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.unreserve(d.of, d.size)
		}
	})
}
