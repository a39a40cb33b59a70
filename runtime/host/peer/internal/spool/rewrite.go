package spool

import (
	"fmt"
	"io"
	"os"
)

// rewrite writes a value to a new file if its old one may not be durable: after a failed sync the system may
// have dropped unwritten data, and a second sync would not report that. The data that are read are checked. The
// writer of snapshots calls it.
func (s *Spool) rewrite(v *valueFile) error {
	name := s.path(v.name)
	again := name + ".again"
	f, err := s.disk.OpenFile(again, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	w := newSums(s.seed)
	_, err = io.CopyBuffer(io.MultiWriter(f, w), io.NewSectionReader(v.f, 0, int64(v.size)), make([]byte, pieceSize))
	switch {
	case err != nil:
	case w.crc != v.crc || w.size != v.size:
		err = fmt.Errorf("%w: %s has %d bytes of checksum %08x, want %d of %08x", ErrUnsure, name, w.size, w.crc, v.size, v.crc)
	default:
		if err = f.Sync(); err == nil {
			err = s.disk.Rename(again, name)
		}
	}
	if err != nil {
		f.Close()
		s.disk.Remove(again)
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v.f, v.earlier, v.unsure = f, append(v.earlier, v.f), false
	return nil
}
