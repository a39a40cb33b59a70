package spool

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/wire"
)

// Values that the previous snapshot names survive a restart, as long as that snapshot is kept.
func TestValuesOfPrevious(t *testing.T) {
	dir := t.TempDir()
	s := testSpool(t, dir)
	var named [2][]uint64 // by each snapshot
	for i := range named {
		v := s.Put(large(byte(i)), nil)
		named[i] = snapshot(t, s, v)
		v.Release()
	}
	s = testSpool(t, dir) // the process was killed
	os.WriteFile(filepath.Join(dir, "9"), nil, 0o600)
	v, err := s.Open(named[1][0], minNamed, wire.CRC(large(1)))
	if err != nil {
		t.Fatal(err)
	}
	s.SweepOthers(named[0])
	if got := files(t, dir); !slices.Equal(got, []string{"1", "2"}) {
		t.Fatalf("files %v, want those of both snapshots", got)
	}
	snapshot(t, s, v)
	if got := files(t, dir); !slices.Equal(got, []string{"2"}) {
		t.Errorf("files %v, want that of the snapshot", got)
	}
}
