package spool

import "github.com/bbgen/bbgen/runtime/host/disk"

// doomed is a file that nobody needs any more.
type doomed struct {
	f    disk.File // nil: it was never made, or opened
	name string    // "": it has none
	of   *Share    // of the peer that it counts for; nil: none
	size uint64
}

// discard has a file closed and removed beside the loop, and counts it no more when it is
// gone. The spool is locked.
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
