package peer

import (
	"hash/maphash"
	"os"

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

// spoolWriter is a file on its way to be a value.
type spoolWriter struct {
	s    *spool
	f    *os.File
	name uint64
}

// create begins a value.
func (s *spool) create() (*spoolWriter, error) {
	s.mu.Lock()
	s.last++
	w := &spoolWriter{s: s, name: s.last}
	s.mu.Unlock()
	var err error
	if s.dir != "" {
		w.f, err = os.OpenFile(s.path(w.name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	} else if w.f, err = os.CreateTemp("", "bbgen-*"); err == nil && unlinks {
		err = os.Remove(w.f.Name()) // it ends with the process, however that ends
	}
	return w, err
}

// abort drops what there is.
func (w *spoolWriter) abort() {
	w.f.Close()
	if w.s.dir != "" || !unlinks {
		os.Remove(w.f.Name())
	}
}

// finish makes a value of a file that is whole, with one share in it.
func (w *spoolWriter) finish(sums *sums) *valueFile {
	v := &valueFile{content: sums.content(), s: w.s, f: w.f, name: w.name, crc: sums.crc, shares: 1}
	w.s.add(v)
	return v
}

// heldBlob is a value in memory that counts, until the node has taken it.
type heldBlob struct {
	*wire.Held
	s      *spool
	of     *uint64 // bytes of the peer that it came from, of the spool's lock
	shares int     // of that, too; all of them are one share in the memory
}

// Retain makes one more share.
func (b *heldBlob) Retain() {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	b.shares++
}

// Release gives a share back.
func (b *heldBlob) Release() {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	if b.shares--; b.shares == 0 {
		b.s.held -= b.Size()
		*b.of -= b.Size()
		b.Held.Release()
	}
}

// hold reserves memory for a value that comes, if there is some: a peer holds no more
// than is left for the others. Of counts what is held of the peer.
func (s *spool) hold(of *uint64, size uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if size >= uint64(s.threshold()) || *of+size > maxHeld-s.held {
		return false
	}
	s.held += size
	*of += size
	return true
}

// unhold gives back what hold has reserved.
func (s *spool) unhold(of *uint64, size uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held -= size
	*of -= size
}
