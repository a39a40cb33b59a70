package spool

import (
	"bytes"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/disk/disktest"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A blocked disk does not block Put: the value can be read, and found again, before it is in its file.
func TestPutNeverWaitsForTheDisk(t *testing.T) {
	d, dir := disktest.New(), t.TempDir()
	s := testSpoolOn(t, d, dir)
	gate := make(chan struct{})
	var once sync.Once
	open := func() { once.Do(func() { close(gate) }) }
	defer open()
	d.Fault(func(op disktest.Op, _ string) error {
		if bytes.Contains(debug.Stack(), []byte("(*Spool).Put(")) {
			t.Errorf("Put does %s itself", op)
			return nil
		}
		<-gate
		return nil
	})
	v := s.Put(large(1), nil)
	got := make([]byte, v.Size())
	if _, err := v.ReadAt(got, 0); err != nil || !bytes.Equal(got, large(1)) {
		t.Errorf("the value is read otherwise before it is written: %v", err)
	}
	if again := s.Put(large(1), nil); again != v {
		t.Error("a value that is not written yet is kept twice")
	}
	open()
	snapshot(t, s, v)
	d.Fault(nil)
	if _, err := v.ReadAt(got, 0); err != nil || !bytes.Equal(got, large(1)) {
		t.Errorf("the value is read otherwise from its file: %v", err)
	}
}

// blocked blocks work outside of the loop until the test calls open.
func (s *Spool) blocked(t *testing.T) (open func()) {
	gate := make(chan struct{})
	s.beside.post(func() { <-gate })
	open = sync.OnceFunc(func() { close(gate) })
	t.Cleanup(open)
	return open
}

// A snapshot that names an unwritten value is durable when the value is in its file, and the file is synced.
func TestSnapshotWritesWhatItNames(t *testing.T) {
	d, dir := disktest.New(), t.TempDir()
	s := testSpoolOn(t, d, dir)
	open := s.blocked(t)
	var ops []disktest.Op
	d.Fault(func(op disktest.Op, _ string) error {
		ops = append(ops, op)
		return nil
	})
	v := s.Put(large(1), nil)
	s.Next()
	name := s.Name(v)
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	if want := []disktest.Op{disktest.Create, disktest.Write, disktest.Sync, disktest.Sync}; !slices.Equal(ops, want) {
		t.Errorf("the disk sees %q, want %q", ops, want)
	}
	restarted := testSpool(t, dir) // the process was killed
	if _, err := restarted.Open(name, v.Size(), v.CRC()); err != nil {
		t.Error(err)
	}
	d.Fault(nil)
	open()
	s.beside.wait()
	if v.Release(); s.used.files != 1 {
		t.Errorf("%d files, want that of the snapshot", s.used.files)
	}
}

// While there is no room for a value, no snapshot that names it becomes durable, and the value can still be
// read; later a snapshot becomes durable.
func TestValueWithoutRoomStaysInMemory(t *testing.T) {
	d, dir := disktest.New(), t.TempDir()
	s := testSpoolOn(t, d, dir)
	d.Room(minNamed / 2)
	v := s.Put(large(1), nil)
	s.beside.wait()
	s.Next()
	name := s.Name(v)
	if err := s.Sync(); !disk.IsFull(err) {
		t.Errorf("a snapshot is safe whose value is not: %v", err)
	}
	got := make([]byte, v.Size())
	if _, err := v.ReadAt(got, 0); err != nil || !bytes.Equal(got, large(1)) {
		t.Errorf("the value is read otherwise: %v", err)
	}
	d.Room(-1)
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	if _, err := testSpool(t, dir).Open(name, v.Size(), v.CRC()); err != nil {
		t.Error(err)
	}
}

// A value that is not needed any more when it is to be written is never written. Its memory is released, and so
// is its place.
func TestValueThatNobodyNeedsIsNotWritten(t *testing.T) {
	d, dir := disktest.New(), t.TempDir()
	s := testSpoolOn(t, d, dir)
	d.Fault(func(op disktest.Op, _ string) error {
		if op != disktest.Remove {
			t.Errorf("the disk sees %q", op)
		}
		return nil
	})
	open := s.blocked(t)
	final := &counted{value: large(1)}
	v := s.Put(final.Bytes(), final)
	if final.shares != 1 {
		t.Errorf("%d shares in what is to be written, want 1", final.shares)
	}
	v.Release()
	open()
	s.beside.wait()
	if final.shares != 0 || s.used != (Share{}) {
		t.Errorf("%d shares and %+v are left", final.shares, s.used)
	}
	if _, err := v.ReadAt(make([]byte, 1), 0); err == nil {
		t.Error("a value without shares is still stored")
	}
}

// counted is a value in memory with a reference count.
type counted struct {
	value
	shares int
}

type value = wire.Bytes

func (c *counted) Retain()  { c.shares++ }
func (c *counted) Release() { c.shares-- }

// BenchmarkPut measures the cost of a large value for the loop: two checksums, one of which is also used on the
// network. Written is the cost outside of the loop.
func BenchmarkPut(b *testing.B) {
	const size = 64 << 20
	s := testSpoolOn(b, disk.OS, b.TempDir())
	data := wire.Copied(make([]byte, size), false)
	b.Run("final", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			s.Put(data.Bytes(), data).Release()
		}
	})
	b.Run("written", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			w := s.Begin(nil, size)
			if err := w.writeAt(data.Bytes(), 0); err != nil { // its checksums are computed elsewhere
				b.Fatal(err)
			}
			w.Abort()
			s.beside.wait()
		}
	})
}
