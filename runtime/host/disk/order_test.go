package disk_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/disk/disktest"
)

// A file is renamed only after its bytes are durable, and its name is durable before Write returns.
func TestWriteOrder(t *testing.T) {
	d, dir := disktest.New(), t.TempDir()
	file := filepath.Join(dir, "x")
	var got []disktest.Op
	d.Fault(func(op disktest.Op, name string) error {
		if op == disktest.Sync && name == dir {
			op = "sync folder"
		}
		got = append(got, op)
		return nil
	})
	if err := disk.Write(d, file, 0o600, []byte("one"), []byte("two")); err != nil {
		t.Fatal(err)
	}
	want := []disktest.Op{disktest.Create, disktest.Write, disktest.Write, disktest.Sync, disktest.Rename, "sync folder"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
