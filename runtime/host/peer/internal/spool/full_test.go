package spool

import (
	"sync/atomic"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/disk"
)

// TestFullDisk: a disk without free space has no room for values, unlike one whose free space is unknown. When others have made room,
// it is found out without a snapshot, which may wait for the value.
func TestFullDisk(t *testing.T) {
	var free atomic.Uint64
	s := testSpool(t, t.TempDir())
	s.free = func(string) (uint64, bool) { return free.Load(), true }
	s.measure()
	var of Share
	for range 3 {
		if w := s.Begin(&of, 1); w != nil {
			t.Fatal("a full disk has room for a byte")
		}
		if v := s.Put(large(1), nil); v != nil {
			t.Fatal("a full disk has room for a value")
		}
		s.beside.wait()
	}
	free.Store(100 << 20)
	if s.Begin(&of, 1) != nil {
		t.Fatal("the free space is measured in the loop")
	}
	s.beside.wait()
	w := s.Begin(&of, 1<<20)
	if w == nil {
		t.Fatal("there is free space, and no room")
	}
	if most := s.room.bytes; most != 90<<20 {
		t.Errorf("of 100 MiB %d bytes may be used, want all except a tenth", most)
	}
	w.Abort()
	s.beside.wait()

	unknown := testSpool(t, t.TempDir())
	unknown.free = func(string) (uint64, bool) { return 0, false }
	unknown.room.bytes = 1 << 62
	unknown.measure()
	if v := unknown.Put(large(1), nil); v == nil {
		t.Error("the free space is unknown, and that means none")
	}
	unknown.beside.wait()
}

// TestRoomGrowsWithUse: what the spool itself uses is not free, and counts as room: the limit stays where it is while its own files
// grow.
func TestRoomGrowsWithUse(t *testing.T) {
	const all = 20 << 20
	s := testSpool(t, t.TempDir())
	s.free = func(string) (uint64, bool) { return all - s.used.bytes, true }
	s.measure()
	var peers [8]Share
	var writers []*Writer
	for round := range 3 {
		for i := range peers {
			if w := s.Begin(&peers[i], 1<<20); w != nil {
				writers = append(writers, w)
			}
		}
		s.beside.wait()
		s.measure()
		if s.used.bytes > all || s.room.bytes < all-all/10 || s.room.bytes > all {
			t.Fatalf("round %d: %d bytes are used, and %d may be, of %d", round, s.used.bytes, s.room.bytes, all)
		}
	}
	if len(writers) < len(peers) {
		t.Errorf("%d values have room, want one of each peer at least", len(writers))
	}
	for _, w := range writers {
		w.Abort()
	}
	s.beside.wait()
	if s.used != (Share{}) {
		t.Errorf("%+v is used of nothing", s.used)
	}
}

// TestRefusalsMeasureOnce: many refusals while the disk hangs queue one measurement.
func TestRefusalsMeasureOnce(t *testing.T) {
	s := testSpoolOn(t, disk.OS, t.TempDir())
	measured := 0
	s.free = func(string) (uint64, bool) {
		measured++
		return 0, true
	}
	s.measure()
	open := s.blocked(t)
	var of Share
	for range 1000 {
		s.Begin(&of, 1)
	}
	s.beside.mu.Lock()
	queued := len(s.beside.list)
	s.beside.mu.Unlock()
	open()
	s.beside.wait()
	if queued > 2 || measured != 2 { // what blocks may be queued, too
		t.Errorf("%d functions were queued, and it was measured %d times, want once and at the beginning", queued, measured)
	}
}

// TestSweepOthersBesideReaders removes files of earlier processes while values come: run with the race detector. What came before that
// is kept.
func TestSweepOthersBesideReaders(t *testing.T) {
	dir := t.TempDir()
	before := testSpool(t, dir)
	lost := before.Put(large(9), nil)
	snapshot(t, before, lost)

	s := testSpool(t, dir)
	kept := s.Put(large(1), nil)
	s.beside.wait()
	done := make(chan bool)
	go func() {
		defer close(done)
		for range 100 {
			s.SweepOthers([]uint64{1 << 40})
		}
	}()
	for i := range byte(20) {
		s.Put(large(100+i), nil).Release()
		s.Names()
	}
	<-done
	s.beside.wait()
	if got := files(t, dir); len(got) != 1 || got[0] != "2" {
		t.Errorf("the files are %v, want the value that came before", got)
	}
	kept.Release()
}

// TestSweepOthersKeepsItsList: the caller's list of values is not changed.
func TestSweepOthersKeepsItsList(t *testing.T) {
	dir := t.TempDir()
	before := testSpool(t, dir)
	v := before.Put(large(9), nil)
	name := snapshot(t, before, v)[0]
	s := testSpool(t, dir)
	if _, err := s.Open(name, v.Size(), v.CRC()); err != nil {
		t.Fatal(err)
	}
	list := []uint64{name, 77}
	if s.SweepOthers(list); list[0] != name || list[1] != 77 {
		t.Errorf("the list is %v", list)
	}
}
