package spool

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/machine"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Spool stores large values in files: in a folder of a state directory, where snapshots name them, or in
// temporary files without a name. A value that is put twice is one file.
//
// A file exists as long as it has references, or one of the two stored snapshots names it. The readers of
// streams use a spool concurrently with the loop.
type Spool struct {
	dir  string // "": files have no names
	disk disk.FS
	log  *slog.Logger
	seed maphash.Seed
	room room
	free func(dir string) (bytes uint64, ok bool) // is [machine.Free], except in tests

	mu      sync.Mutex
	files   map[uint64]*valueFile // by name
	known   map[content]*valueFile
	last    uint64   // the latest name
	written uint64   // the number of the latest snapshot, written or being written
	safe    uint64   // the number of the durable snapshot
	before  uint64   // the number of the previous snapshot, which is kept as well
	foreign []uint64 // values of the previous snapshot that this process has not opened
	used    Share    // by all peers

	measuring bool // a measurement after a refusal is queued

	beside *beside // writes and removes files
}

const (
	// minNamed is the size from which on a value has a file of its own if snapshots name it.
	minNamed = 1 << 20

	// minFile is the size from which on a value has a file even if no snapshot needs it.
	minFile = 16 << 20

	// pieceSize is how much of a file is in memory while it is checked or copied.
	pieceSize = 128 << 10
)

// content identifies values within a process.
type content struct {
	size uint64
	sum  uint64
}

// New opens the spool of a folder, and makes the folder if it is missing. With "" files are temporary, and have
// no names. At most files files are open for values.
func New(d disk.FS, dir string, files int, log *slog.Logger) (*Spool, error) {
	s := &Spool{disk: d, dir: dir, log: log, seed: maphash.MakeSeed(), free: machine.Free, room: room{files: files, bytes: math.MaxUint64, held: maxHeld},
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

// threshold returns the size from which on a value has a file.
func (s *Spool) threshold() int {
	if s.dir != "" {
		return minNamed
	}
	return minFile
}

// Put is [values.Spool.Put]. It takes the time of two checksums, and of a copy if the bytes are not final.
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

// find returns an existing value, with a reference.
func (s *Spool) find(c content) *valueFile {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.known[c]
	if v != nil {
		v.shares++
	}
	return v
}

// Name is [values.Spool.Name].
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

// Open is [values.Spool.Open].
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
	switch {
	case disk.IsSpecial(err):
		return nil, fmt.Errorf("%w: %w", ErrValue, err)
	case err != nil:
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

// Names returns the values that the snapshot names that is being written.
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

// Next records that a snapshot is about to be written. It names the values that are named from now on.
func (s *Spool) Next() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.written++
}

// ErrUnsure ends a host: a file could not be synced, and its readable content is not the value any more.
var ErrUnsure = errors.New("a large value may be lost")

// Sync makes the values durable that the snapshot names. It writes those that are not in their files yet.
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
		if !v.unsure {
			err := v.f.Sync()
			if err == nil {
				continue
			}
			v.unsure = true
			s.log.Warn("a large value is written again, as its file may not survive", "bytes", v.size, "err", err)
		}
		if err := s.rewrite(v); err != nil {
			return err
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

// Sweep records that the written snapshot is durable, and removes values without references that neither it nor
// the previous one names.
func (s *Spool) Sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before, s.safe = s.safe, s.written
	s.sweepUnnamed()
}

// SweepPrevious removes values that only the previous snapshot names.
func (s *Spool) SweepPrevious() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = s.safe
	s.sweepUnnamed()
}

// sweepUnnamed removes values that are not needed any more. The caller holds the lock.
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

// SweepOthers removes all files of earlier processes that neither the restored node nor the previous snapshot
// names. Before lists the values of that snapshot.
func (s *Spool) SweepOthers(before []uint64) {
	if s.dir == "" {
		return
	}
	list, _ := s.disk.ReadDir(s.dir)
	s.mu.Lock()
	s.foreign = slices.DeleteFunc(slices.Clone(before), func(name uint64) bool { return s.files[name] != nil })
	others := slices.DeleteFunc(list, func(e fs.DirEntry) bool {
		name, err := strconv.ParseUint(e.Name(), 10, 64)
		return err == nil && (s.files[name] != nil || slices.Contains(s.foreign, name))
	})
	s.mu.Unlock()
	for _, e := range others {
		s.disk.Remove(filepath.Join(s.dir, e.Name()))
	}
}

// remove removes a file. The caller holds the lock.
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

// nameOf returns the name of a value's file that is to be removed; "" if it has none.
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
	f      disk.File // nil: not made yet
	data   wire.Blob // the bytes while they are not in the file, guarded by the spool's lock; then nil
	of     *Share    // the peer from which it came; nil: this one
	name   uint64
	crc    uint32
	shares int    // guarded by the spool's lock
	named  uint64 // the latest snapshot that names it, guarded by the spool's lock
	synced bool   // used by the writer of snapshots
	unsure bool   // likewise: its file could not be synced, and a later sync would succeed without the lost data

	writing sync.Mutex // held by the writer of the file
	w       *Writer    // the writer of the file; nil: it was written before it became a value

	earlier []disk.File // files that could not be synced, which readers may still use
}

// Size returns the number of bytes.
func (v *valueFile) Size() uint64 { return v.size }

// CRC returns their checksum.
func (v *valueFile) CRC() uint32 { return v.crc }

// Bytes returns nil.
func (v *valueFile) Bytes() []byte { return nil }

// Memory returns nil.
func (v *valueFile) Memory() *tensor.Memory { return nil }

// Retain adds a reference.
func (v *valueFile) Retain() {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	v.shares++
}

// Release releases a reference. A file that a snapshot has named is kept until no snapshot names it.
func (v *valueFile) Release() {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	if v.shares--; v.unneeded() {
		v.s.remove(v)
	}
}

// unneeded reports whether the file has no references, and no stored snapshot, nor the one being written, names
// it. The caller holds the lock.
func (v *valueFile) unneeded() bool { return v.shares == 0 && v.named < v.s.before }

// ErrValue means that the file of a value has another content.
var ErrValue = errors.New("not the value that the snapshot names")

// check reads the whole file and compares its checksums.
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
