package peer

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// spool keeps large values in files: with a state directory in its folder values,
// where snapshots name them; without one in temporary files without a name. A
// value that is put twice is one file.
//
// A file is there as long as somebody has a share in it, or the snapshot that
// was written last names it. Readers of streams use a spool beside the loop.
type spool struct {
	dir  string // "": files have no names
	log  *slog.Logger
	seed maphash.Seed

	mu      sync.Mutex
	files   map[uint64]*valueFile // by name
	known   map[content]*valueFile
	last    uint64 // the name given last
	written uint64 // the number of the snapshot that is being written, or was
	held    uint64 // bytes of payloads that came and are in memory
}

const (
	valuesDir = "values"

	// minNamed is from how many bytes on a value goes to a file of its own where
	// snapshots name it.
	minNamed = 1 << 20

	// minFile is from how many bytes on a value goes to a file though no snapshot
	// wants it there; maxHeld is how many bytes of smaller ones that came wait in
	// memory at a time.
	minFile = 16 << 20
	maxHeld = 64 << 20

	// pieceSize is how much of a file is in memory for each reader or writer.
	pieceSize = 128 << 10
)

// content tells values apart, within a process.
type content struct {
	size uint64
	sum  uint64
}

// openSpool opens the spool of a state directory, or of none.
func openSpool(state *stateDir, log *slog.Logger) (*spool, error) {
	s := &spool{log: log, seed: maphash.MakeSeed(), files: map[uint64]*valueFile{}, known: map[content]*valueFile{}, written: 1}
	if state == nil {
		return s, nil
	}
	s.dir = filepath.Join(state.dir, valuesDir)
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	list, err := os.ReadDir(s.dir)
	for _, e := range list {
		if name, err := strconv.ParseUint(e.Name(), 10, 64); err == nil {
			s.last = max(s.last, name)
		}
	}
	return s, err
}

// threshold is from how many bytes on a value goes to a file.
func (s *spool) threshold() int {
	if s.dir != "" {
		return minNamed
	}
	return minFile
}

// Put is [runtime.Spool.Put]. What cannot be written stays in memory.
func (s *spool) Put(data []byte) wire.Blob {
	if len(data) < s.threshold() {
		return nil
	}
	sums := newSums(s.seed)
	sums.Write(data)
	if v := s.find(sums.content()); v != nil {
		return v
	}
	w, err := s.create()
	if err == nil {
		if _, err = w.f.Write(data); err == nil {
			return w.finish(sums)
		}
		w.abort()
	}
	s.log.Warn("a large value stays in memory", "bytes", len(data), "err", err)
	return nil
}

// find returns a value that is there already, with a share in it.
func (s *spool) find(c content) *valueFile {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.known[c]
	if v != nil {
		v.shares++
	}
	return v
}

// Name is [runtime.Spool.Name].
func (s *spool) Name(b wire.Blob) uint64 {
	v, ok := b.(*valueFile)
	if !ok || s.dir == "" {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v.named = s.written
	return v.name
}

// Open is [runtime.Spool.Open].
func (s *spool) Open(name, size uint64, crc uint32) (wire.Blob, error) {
	s.mu.Lock()
	v := s.files[name]
	if v != nil && v.size == size && v.crc == crc {
		v.shares++
		s.mu.Unlock()
		return v, nil
	}
	s.mu.Unlock()
	f, err := os.Open(s.path(name))
	if err != nil {
		return nil, fmt.Errorf("value %d of %d bytes: %w", name, size, err)
	}
	v = &valueFile{content: content{size: size}, s: s, f: f, name: name, crc: crc, shares: 1, named: s.written, synced: true}
	if err := v.check(); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", s.path(name), err)
	}
	s.add(v)
	return v, nil
}

func (s *spool) path(name uint64) string {
	return filepath.Join(s.dir, strconv.FormatUint(name, 10))
}

func (s *spool) add(v *valueFile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[v.name], s.known[v.content] = v, v
}

// begin says that a snapshot is about to be written.
func (s *spool) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.written++
}

// sync has the files that the snapshot names survive.
func (s *spool) sync() error {
	var list []*valueFile
	s.mu.Lock()
	for _, v := range s.files {
		if v.named == s.written && !v.synced {
			list = append(list, v)
		}
	}
	s.mu.Unlock()
	for _, v := range list {
		if err := v.f.Sync(); err != nil {
			return err
		}
		v.synced = true
	}
	if len(list) == 0 {
		return nil
	}
	return syncDir(s.dir)
}

// sweep removes what neither the snapshot names that survives now nor anybody
// has a share in. At the start that is all that an earlier process has left.
func (s *spool) sweep() {
	if s.dir == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.files {
		if v.shares == 0 && v.named != s.written {
			s.remove(v)
		}
	}
}

// sweepOthers removes the files that a restored node does not know.
func (s *spool) sweepOthers() {
	if s.dir == "" {
		return
	}
	list, _ := os.ReadDir(s.dir)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range list {
		name, err := strconv.ParseUint(e.Name(), 10, 64)
		if err != nil || s.files[name] == nil {
			os.Remove(filepath.Join(s.dir, e.Name()))
		}
	}
}

// remove forgets a file. The spool is locked.
func (s *spool) remove(v *valueFile) {
	delete(s.files, v.name)
	if s.known[v.content] == v {
		delete(s.known, v.content)
	}
	v.f.Close()
	if s.dir != "" || !unlinks {
		os.Remove(v.f.Name())
	}
}

// valueFile is a value in a file.
type valueFile struct {
	content
	s      *spool
	f      *os.File
	name   uint64
	crc    uint32
	shares int    // of the spool's lock
	named  uint64 // the snapshot that has named it last, of the spool's lock
	synced bool   // of who writes snapshots
}

// ReadAt, Size, CRC, Bytes, Retain and Release are [wire.Blob]'s.
func (v *valueFile) ReadAt(p []byte, off int64) (int, error) { return v.f.ReadAt(p, off) }

// Size is how many bytes there are.
func (v *valueFile) Size() uint64 { return v.size }

// CRC is their sum.
func (v *valueFile) CRC() uint32 { return v.crc }

// Bytes is nil.
func (v *valueFile) Bytes() []byte { return nil }

// Memory is nil.
func (v *valueFile) Memory() *tensor.Memory { return nil }

// Retain makes one more share.
func (v *valueFile) Retain() {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	v.shares++
}

// Release gives a share back. A file that a snapshot has named waits for the next
// snapshot.
func (v *valueFile) Release() {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	if v.shares--; v.shares == 0 && v.named == 0 {
		v.s.remove(v)
	}
}

var errValue = errors.New("not the value that the snapshot names")

// check reads the whole file.
func (v *valueFile) check() error {
	st, err := v.f.Stat()
	if err != nil {
		return err
	}
	if uint64(st.Size()) != v.size {
		return fmt.Errorf("%w: it has %d bytes, want %d", errValue, st.Size(), v.size)
	}
	w := newSums(v.s.seed)
	if _, err := io.CopyBuffer(w, struct{ io.Reader }{v.f}, make([]byte, pieceSize)); err != nil {
		return err
	}
	if w.crc != v.crc {
		return fmt.Errorf("%w: checksum %08x, want %08x", errValue, w.crc, v.crc)
	}
	v.content = w.content()
	return nil
}
