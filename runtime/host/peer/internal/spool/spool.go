package spool

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Spool keeps large values in files: in a folder of a state directory, where snapshots
// name them, or in temporary files without a name. A value that is put twice is one file.
//
// A file is there as long as somebody has a share in it, or one of the two snapshots
// names it that are kept. Readers of streams use a spool beside the loop.
type Spool struct {
	dir  string // "": files have no names
	disk disk.FS
	log  *slog.Logger
	seed maphash.Seed
	room room

	mu      sync.Mutex
	files   map[uint64]*valueFile // by name
	known   map[content]*valueFile
	last    uint64   // the name given last
	written uint64   // the number of the snapshot that is being written, or was
	safe    uint64   // of the one that is safe
	before  uint64   // of the one before, which is kept as well
	foreign []uint64 // values of the one before that this process has not opened
	used    Share    // by all

	beside *beside // writes and removes files
}

const (
	// minNamed is from how many bytes on a value goes to a file of its own where
	// snapshots name it.
	minNamed = 1 << 20

	// minFile is from how many bytes on a value goes to a file though no snapshot
	// wants it there.
	minFile = 16 << 20

	// pieceSize is how much of a file is in memory while it is checked or copied.
	pieceSize = 128 << 10
)

// content tells values apart, within a process.
type content struct {
	size uint64
	sum  uint64
}

// New opens the spool of a folder, which is made if it is missing. With "" files are
// temporary, and have no names. No more than so many files are open for values.
func New(d disk.FS, dir string, files int, log *slog.Logger) (*Spool, error) {
	s := &Spool{disk: d, dir: dir, log: log, seed: maphash.MakeSeed(), room: room{files: files, bytes: math.MaxUint64, held: maxHeld},
		files: map[uint64]*valueFile{}, known: map[content]*valueFile{}, written: 1, safe: 1, before: 1, beside: newBeside()}
	if dir == "" {
		s.measure()
		return s, nil
	}
	if err := s.disk.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	s.measure()
	list, err := s.disk.ReadDir(s.dir)
	for _, e := range list {
		if name, err := strconv.ParseUint(e.Name(), 10, 64); err == nil {
			s.last = max(s.last, name)
		}
	}
	return s, err
}

// threshold is from how many bytes on a value goes to a file.
func (s *Spool) threshold() int {
	if s.dir != "" {
		return minNamed
	}
	return minFile
}

// Put is [runtime.Spool.Put]. It takes the time of two sums, and of a copy if the bytes
// are not final.
func (s *Spool) Put(data []byte, final wire.Blob) wire.Blob {
	if len(data) < s.threshold() {
		return nil
	}
	sums := newSums(s.seed)
	sums.Write(data)
	if v := s.find(sums.content()); v != nil {
		return v
	}
	w := s.Begin(nil, uint64(len(data)))
	if w == nil {
		return nil
	}
	w.sums = sums
	if final == nil {
		final = wire.Copied(data, false)
	} else {
		final.Retain()
	}
	return w.keep(final)
}

// find returns a value that is there already, with a share in it.
func (s *Spool) find(c content) *valueFile {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.known[c]
	if v != nil {
		v.shares++
	}
	return v
}

// Name is [runtime.Spool.Name].
func (s *Spool) Name(b wire.Blob) uint64 {
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
func (s *Spool) Open(name, size uint64, crc uint32) (wire.Blob, error) {
	s.mu.Lock()
	v := s.files[name]
	if v != nil && v.size == size && v.crc == crc {
		v.shares++
		s.mu.Unlock()
		return v, nil
	}
	s.mu.Unlock()
	f, err := s.disk.OpenFile(s.path(name), os.O_RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("value %d of %d bytes: %w", name, size, err)
	}
	v = &valueFile{content: content{size: size}, s: s, f: f, name: name, crc: crc, shares: 1, named: s.written, synced: true}
	if err := v.check(); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", s.path(name), err)
	}
	s.mu.Lock()
	s.used.take(size)
	s.mu.Unlock()
	s.add(v)
	return v, nil
}

func (s *Spool) path(name uint64) string {
	return filepath.Join(s.dir, strconv.FormatUint(name, 10))
}

func (s *Spool) add(v *valueFile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[v.name], s.known[v.content] = v, v
}

// Names are the values that the snapshot names that is being written.
func (s *Spool) Names() (list []uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, v := range s.files {
		if v.named == s.written {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// Next says that a snapshot is about to be written. Values that are named from now on
// are named by that one.
func (s *Spool) Next() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.written++
}

// ErrUnsure is why a host ends: a file has failed to survive, and what can be read of it is
// not the value any more.
var ErrUnsure = errors.New("a large value may be lost")

// Sync has the values that the snapshot names survive: those that are not in their files
// yet are written.
func (s *Spool) Sync() error {
	s.measure()
	var list []*valueFile
	s.mu.Lock()
	for _, v := range s.files {
		if v.named == s.written && !v.synced {
			list = append(list, v)
		}
	}
	s.mu.Unlock()
	for _, v := range list {
		if err := v.write(); err != nil {
			return err
		}
		if err := v.f.Sync(); err != nil {
			s.log.Warn("a large value is written again, as its file may not survive", "bytes", v.size, "err", err)
			if err := s.rewrite(v); err != nil {
				return err
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	if err := s.disk.SyncDir(s.dir); err != nil {
		return err
	}
	for _, v := range list {
		v.synced = true
	}
	return nil
}

// Sweep says that the snapshot is safe that was written, and removes what neither it
// nor the one before names nor anybody has a share in.
func (s *Spool) Sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before, s.safe = s.safe, s.written
	s.sweepUnnamed()
}

// SweepPrevious removes what only the snapshot before the last names.
func (s *Spool) SweepPrevious() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = s.safe
	s.sweepUnnamed()
}

// sweepUnnamed removes what nobody needs. The spool is locked.
func (s *Spool) sweepUnnamed() {
	for _, v := range s.files {
		if v.unneeded() {
			s.remove(v)
		}
	}
	for _, name := range s.foreign {
		s.discard(doomed{name: s.path(name)})
	}
	s.foreign = nil
}

// SweepOthers removes the files that neither a restored node knows nor the snapshot
// before the last names: all else that an earlier process has left. It is told what that
// snapshot names.
func (s *Spool) SweepOthers(before []uint64) {
	if s.dir == "" {
		return
	}
	s.foreign = slices.DeleteFunc(before, func(name uint64) bool { return s.files[name] != nil })
	list, _ := s.disk.ReadDir(s.dir)
	for _, e := range list {
		name, err := strconv.ParseUint(e.Name(), 10, 64)
		if err != nil || s.files[name] == nil && !slices.Contains(s.foreign, name) {
			s.disk.Remove(filepath.Join(s.dir, e.Name()))
		}
	}
}

// remove forgets a file. The spool is locked.
func (s *Spool) remove(v *valueFile) {
	delete(s.files, v.name)
	if s.known[v.content] == v {
		delete(s.known, v.content)
	}
	v.forgetData()
	s.discard(doomed{v.f, s.nameOf(v), v.of, v.size})
	for _, f := range v.earlier {
		s.discard(doomed{f: f})
	}
}

// nameOf is what the file of a value is called that is to be removed; "" if it has no
// name.
func (s *Spool) nameOf(v *valueFile) string {
	switch {
	case s.dir != "":
		return s.path(v.name)
	case unlinks || v.f == nil:
		return ""
	}
	return v.f.Name()
}

// valueFile is a value in a file.
type valueFile struct {
	content
	s      *Spool
	f      disk.File // nil: there is none yet
	data   wire.Blob // the bytes as long as they are not in the file, of the spool's lock; nil: they are
	of     *Share    // of the peer that it came from; nil: this one's own
	name   uint64
	crc    uint32
	shares int    // of the spool's lock
	named  uint64 // the snapshot that has named it last, of the spool's lock
	synced bool   // of who writes snapshots

	writing sync.Mutex // of who writes the file
	w       *Writer    // that does; nil: it was written before it was a value

	earlier []disk.File // that failed to survive, and that readers may still have
}

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

// Release gives a share back. A file that a snapshot has named waits until none does.
func (v *valueFile) Release() {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	if v.shares--; v.unneeded() {
		v.s.remove(v)
	}
}

// unneeded reports whether nobody has a share in the file, nor any snapshot that is
// kept or being written names it. The spool is locked.
func (v *valueFile) unneeded() bool { return v.shares == 0 && v.named < v.s.before }

// ErrValue is why a value is not opened: its file holds something else.
var ErrValue = errors.New("not the value that the snapshot names")

// check reads the whole file.
func (v *valueFile) check() error {
	st, err := v.f.Stat()
	if err != nil {
		return err
	}
	if uint64(st.Size()) != v.size {
		return fmt.Errorf("%w: it has %d bytes, want %d", ErrValue, st.Size(), v.size)
	}
	w := newSums(v.s.seed)
	if _, err := io.CopyBuffer(w, struct{ io.Reader }{v.f}, make([]byte, pieceSize)); err != nil {
		return err
	}
	if w.crc != v.crc {
		return fmt.Errorf("%w: checksum %08x, want %08x", ErrValue, w.crc, v.crc)
	}
	v.content = w.content()
	return nil
}
