package peer

import (
	"hash/maphash"
	"os"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/wire"
)

// sums are what a value is known by, of bytes that come one after the other.
type sums struct {
	size uint64
	crc  uint32
	hash maphash.Hash
}

func newSums(seed maphash.Seed) *sums {
	s := &sums{}
	s.hash.SetSeed(seed)
	return s
}

// Write adds bytes.
func (s *sums) Write(p []byte) (int, error) {
	s.size += uint64(len(p))
	s.crc = wire.AddCRC(s.crc, p)
	return s.hash.Write(p)
}

func (s *sums) content() content { return content{s.size, s.hash.Sum64()} }

// spoolWriter is a file on its way to be a value. It is made when the first bytes come.
type spoolWriter struct {
	s    *spool
	of   *share
	size uint64 // that are reserved
	f    disk.File
	name uint64
}

// begin reserves room for a value of a peer, or of this one. It returns nothing if there
// is none.
func (s *spool) begin(of *share, size uint64) *spoolWriter {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.room.admits(of, &s.used, size) {
		return nil
	}
	s.reserve(of, size)
	s.last++
	return &spoolWriter{s: s, of: of, size: size, name: s.last}
}

// create makes the file.
func (w *spoolWriter) create() (err error) {
	s := w.s
	if s.dir != "" {
		w.f, err = s.disk.OpenFile(s.path(w.name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		return err
	}
	f, err := os.CreateTemp("", "bbgen-*")
	if err != nil {
		return err
	}
	w.f = f
	if unlinks {
		return os.Remove(f.Name()) // it ends with the process, however that ends
	}
	return nil
}

// writeAt writes a part of the value.
func (w *spoolWriter) writeAt(p []byte, at uint64) error {
	if w.f == nil {
		if err := w.create(); err != nil {
			return err
		}
	}
	_, err := w.f.WriteAt(p, int64(at))
	return err
}

// abort drops what there is.
func (w *spoolWriter) abort() {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	d := doomed{f: w.f, of: w.of, size: w.size}
	if w.f != nil {
		d.name = w.s.nameOf(&valueFile{f: w.f, name: w.name})
	}
	w.s.discard(d)
}

// finish makes a value of a file that is whole, with one share in it.
func (w *spoolWriter) finish(sums *sums) *valueFile {
	v := w.value(sums)
	v.f = w.f
	w.s.add(v)
	return v
}

func (w *spoolWriter) value(sums *sums) *valueFile {
	return &valueFile{content: sums.content(), s: w.s, of: w.of, name: w.name, crc: sums.crc, shares: 1}
}
