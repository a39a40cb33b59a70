package spool

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/disk/disktest"
	"github.com/bbgen/bbgen/runtime/wire"
)

// receive writes a value in pieces, as it comes from a peer.
func receive(t *testing.T, w *Writer, data []byte) {
	t.Helper()
	for piece := range slices.Chunk(data, len(data)/3+1) {
		if n, err := w.Write(piece); n != len(piece) || err != nil {
			t.Fatalf("%d of %d bytes are written: %v", n, len(piece), err)
		}
	}
}

// read returns the bytes of a value.
func read(t *testing.T, v wire.Blob) []byte {
	t.Helper()
	b, err := io.ReadAll(io.NewSectionReader(v, 0, int64(v.Size())))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A value that comes from a peer in pieces goes into a file, which is a value when it is complete: it can be read,
// named by a snapshot and found again, and it goes with its last reference. Its place is that of the peer meanwhile.
func TestReceivedValue(t *testing.T) {
	dir := t.TempDir()
	s := testSpool(t, dir)
	var of Share
	data := large(3)
	w := s.Begin(&of, uint64(len(data)))
	if w == nil || of.files != 1 || of.bytes != uint64(len(data)) {
		t.Fatalf("it has a place: %v, and the peer uses %+v", w != nil, of)
	}
	if list := files(t, dir); len(list) != 0 {
		t.Errorf("the files %v are there before the first bytes", list)
	}
	receive(t, w, data)
	if w.Offset() != uint64(len(data)) || w.CRC() != wire.CRC(data) {
		t.Errorf("%d bytes of checksum %08x are written, want %d of %08x", w.Offset(), w.CRC(), len(data), wire.CRC(data))
	}
	v := w.Finish()
	if !bytes.Equal(read(t, v), data) || v.Size() != uint64(len(data)) || v.CRC() != wire.CRC(data) || v.Bytes() != nil || v.Memory() != nil {
		t.Errorf("the value has %d bytes of checksum %08x", v.Size(), v.CRC())
	}
	same := s.Put(data, nil)
	if same != v {
		t.Error("an equal value gets another file")
	}
	same.Release()

	s.Next()
	name := s.Name(v)
	if got := s.Names(); !slices.Equal(got, []uint64{name}) {
		t.Errorf("the snapshot names %v, want %d", got, name)
	}
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	s.Sweep()
	v.Retain()
	v.Release()
	v.Release()
	s.beside.wait()
	if list := files(t, dir); len(list) != 1 {
		t.Errorf("the value of a snapshot is gone: %v", list)
	}
	for range 2 { // it is in neither of the two kept snapshots then
		snapshot(t, s)
	}
	if list := files(t, dir); len(list) != 0 || of != (Share{}) {
		t.Errorf("the files %v are left, and the peer uses %+v", list, of)
	}
}

// A value that does not come to its end leaves no file, and no use of its place, whether or not bytes have come.
func TestAbort(t *testing.T) {
	for _, some := range []bool{false, true} {
		dir := t.TempDir()
		s := testSpool(t, dir)
		var of Share
		w := s.Begin(&of, minNamed)
		if some {
			receive(t, w, large(1)[:1000])
			if list := files(t, dir); len(list) != 1 {
				t.Fatalf("the files are %v", list)
			}
		}
		w.Abort()
		s.beside.wait()
		if list := files(t, dir); len(list) != 0 || of != (Share{}) || s.used != (Share{}) {
			t.Errorf("some bytes came: %v; the files %v are left, the peer uses %+v, and all use %+v", some, list, of, s.used)
		}
	}
}

// A disk without room fails the write, not the process; when there is room again, values are written again.
func TestReceiveWithoutRoom(t *testing.T) {
	d, dir := disktest.New(), t.TempDir()
	s := testSpoolOn(t, d, dir)
	for what, fault := range map[string]func(){
		"to write": func() { d.Room(1000) },
		"for a file": func() {
			d.Fault(func(op disktest.Op, _ string) error {
				if op == disktest.Create {
					return syscall.ENOSPC
				}
				return nil
			})
		},
	} {
		fault()
		var of Share
		w := s.Begin(&of, minNamed)
		if _, err := w.Write(large(1)); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("no room %s: %v", what, err)
		}
		if w.Offset() != 0 {
			t.Errorf("no room %s: %d bytes count as written", what, w.Offset())
		}
		w.Abort()
		d.Room(-1)
		d.Fault(nil)
		s.beside.wait()
		if list := files(t, dir); len(list) != 0 {
			t.Errorf("no room %s: the files %v are left", what, list)
		}
		w = s.Begin(&of, minNamed)
		receive(t, w, large(2))
		v := w.Finish()
		if !bytes.Equal(read(t, v), large(2)) {
			t.Errorf("no room %s: the next value is another one", what)
		}
		v.Release()
		s.beside.wait()
	}
}

// A received value in memory counts in the share of its peer until its last reference is released.
func TestHeldValue(t *testing.T) {
	s := testSpool(t, "")
	var of Share
	const size = 1000
	if !s.Hold(&of, size) || of.held != size {
		t.Fatalf("the peer holds %d bytes, want %d", of.held, size)
	}
	v := s.Held(&of, wire.Copied(make([]byte, size), false))
	v.Retain()
	v.Release()
	if of.held != size || s.used.held != size {
		t.Errorf("with a reference the peer holds %d bytes of %d, want %d", of.held, s.used.held, size)
	}
	v.Release()
	if of.held != 0 || s.used.held != 0 {
		t.Errorf("without one it holds %d of %d", of.held, s.used.held)
	}
}

// Values that only the previous snapshot names go when there is no room for both, and those of the last one stay.
func TestSweepPrevious(t *testing.T) {
	dir := t.TempDir()
	s := testSpool(t, dir)
	a, b := s.Put(large(1), nil), s.Put(large(2), nil)
	first := snapshot(t, s, a)
	second := snapshot(t, s, b)
	a.Release()
	b.Release()
	s.beside.wait()
	if list := files(t, dir); len(list) != 2 {
		t.Fatalf("the files are %v, want those of both snapshots", list)
	}
	s.SweepPrevious()
	s.beside.wait()
	if list := files(t, dir); len(list) != 1 || list[0] != filepath.Base(s.path(second[0])) {
		t.Errorf("the files are %v, want that of value %d, not %d", list, second[0], first[0])
	}
}

// A folder that cannot be made is an error, and names that are no numbers are no values.
func TestFolders(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(disktest.New(), filepath.Join(file, "values"), 1, nil); err == nil {
		t.Error("a folder below a file is made")
	}
	if err := os.WriteFile(filepath.Join(dir, "7"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := testSpool(t, dir)
	v := s.Put(large(1), nil)
	s.beside.wait()
	if list := files(t, dir); !slices.Equal(list, []string{"7", "8", "file"}) {
		t.Errorf("the files are %v, want the new value behind the numbers that there are", list)
	}
	v.Release()
}
