package peer

import "github.com/bbgen/bbgen/runtime/host/disk"

// doomed is a file that nobody needs any more.
type doomed struct {
	f    disk.File // nil: it was never made, or opened
	name string    // "": it has none
	of   *share    // of the peer that it counts for; nil: none
	size uint64
}

// discard has a file closed and removed by a goroutine: whoever drops a value has no
// time for the disk. The spool is locked.
func (s *spool) discard(d doomed) {
	s.trash = append(s.trash, d)
	if !s.empties {
		s.empties = true
		go s.empty()
	}
}

// empty empties the trash.
func (s *spool) empty() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.trash) > 0 {
		list := s.trash
		s.trash = nil
		s.mu.Unlock()
		for i := range list {
			list[i].remove(s.disk)
		}
		s.mu.Lock()
		for i := range list {
			s.forget(&list[i])
		}
	}
	s.empties = false
	s.emptied.Broadcast()
}

func (d *doomed) remove(on disk.FS) {
	if d.f != nil {
		d.f.Close()
	}
	if d.name != "" {
		on.Remove(d.name)
	}
}

// forget counts a file no more, which is gone now.
func (s *spool) forget(d *doomed) {
	if d.size > 0 {
		s.unreserve(d.of, d.size)
	}
}

// tidy waits until the trash is empty.
func (s *spool) tidy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.empties {
		s.emptied.Wait()
	}
}
