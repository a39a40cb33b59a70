package spool

import (
	"hash/maphash"
	"os"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/wire"
)

// sums is the checksums of a sequence of bytes, which identify a value.
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

// Writer writes a file that is to become a value. It makes the file with the first bytes. It is used by one
// goroutine.
type Writer struct {
	s    *Spool
	of   *Share
	size uint64 // of the reservation
	sums *sums  // of the written bytes
	f    disk.File
	name uint64
}

// Begin reserves room for a value of a peer, or of this one. It returns nil if there is none.
func (s *Spool) Begin(of *Share, size uint64) *Writer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.room.admits(of, &s.used, size) {
		s.remeasure()
		return nil
	}
	s.reserve(of, size)
	s.last++
	return &Writer{s: s, of: of, size: size, name: s.last, sums: newSums(s.seed)}
}

// create makes the file.
func (w *Writer) create() (err error) {
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
		return os.Remove(f.Name()) // it disappears with the process, however that ends
	}
	return nil
}

// Write writes the next bytes of the value.
func (w *Writer) Write(p []byte) (int, error) {
	if err := w.writeAt(p, w.sums.size); err != nil {
		return 0, err
	}
	return w.sums.Write(p)
}

// Offset returns how many bytes were written.
func (w *Writer) Offset() uint64 { return w.sums.size }

// CRC returns the checksum of the written bytes.
func (w *Writer) CRC() uint32 { return w.sums.crc }

func (w *Writer) writeAt(p []byte, at uint64) error {
	if w.f == nil {
		if err := w.create(); err != nil {
			return err
		}
	}
	_, err := w.f.WriteAt(p, int64(at))
	return err
}

// Abort removes the file.
func (w *Writer) Abort() {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	d := doomed{f: w.f, of: w.of, size: w.size}
	if w.f != nil {
		d.name = w.s.nameOf(&valueFile{f: w.f, name: w.name})
	}
	w.s.discard(d)
}

// Finish makes a value of a complete file, with one reference.
func (w *Writer) Finish() wire.Blob {
	v := w.value()
	v.f = w.f
	w.s.add(v)
	return v
}

func (w *Writer) value() *valueFile {
	return &valueFile{content: w.sums.content(), s: w.s, of: w.of, name: w.name, crc: w.sums.crc, shares: 1}
}
