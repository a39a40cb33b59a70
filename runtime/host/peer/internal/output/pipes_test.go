//go:build unix

package output

import (
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/disk/disktest"
	"github.com/bbgen/bbgen/runtime/host/peer/status"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

func emittedValue(number uint64, x float32) runtime.Event {
	return runtime.Event{Kind: runtime.Emitted, Module: "x", Name: "y", Exec: wire.ExecID{Number: number}, Value: tensor.Of([]float32{x}, 1)}
}

// testOut writes files, and logs to w.
func testOut(t *testing.T, d disk.FS, dir string, w io.Writer) *Files {
	t.Helper()
	o, err := OpenFiles(d, dir, slog.New(slog.NewTextHandler(w, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// While the disk is full, files of -out wait without blocking anything else; when there is room, all of them
// are written completely and in order.
func TestFullOut(t *testing.T) {
	d, dir := disktest.New(), t.TempDir()
	var errs strings.Builder
	o := testOut(t, d, dir, &errs)
	d.Room(200) // for one and a half of them
	for i := range uint64(5) {
		o.Value(emittedValue(i, float32(i)), "")
		o.Retry()
	}
	o.Flush(time.Minute)
	files := func() (names []string) {
		list, _ := os.ReadDir(dir)
		for _, e := range list {
			names = append(names, e.Name())
		}
		return names
	}
	if got := files(); len(got) != 1 || got[0] != "y-0.npy" {
		t.Fatalf("%v is there", got)
	}
	if n := strings.Count(errs.String(), "no space left"); n != 1 {
		t.Errorf("it says so %d times: %s", n, &errs)
	}
	d.Room(-1)
	o.Retry()
	o.Flush(time.Minute)
	if got := files(); len(got) != 5 {
		t.Errorf("%v is there", got)
	}
	if err := o.End(time.Minute); err != nil {
		t.Error(err)
	}
}

// Files for which there never was room are reported at the end.
func TestFullOutAtTheEnd(t *testing.T) {
	d := disktest.New()
	o := testOut(t, d, t.TempDir(), io.Discard)
	d.Room(0)
	o.Value(emittedValue(1, 1), "")
	if err := o.End(time.Minute); err == nil || !strings.Contains(err.Error(), "could not be written: 1") {
		t.Errorf("it says %v", err)
	}
}

// A file of an earlier round takes no time, and is replaced as a whole: it may be a pipe without a reader.
func TestPipeAsOut(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "y-1.npy"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := testOut(t, disk.OS, dir, io.Discard)
	o.Value(emittedValue(1, 1), "")
	if !o.Flush(time.Minute) {
		t.Fatal("it waits for a reader")
	}
	if info, err := os.Stat(filepath.Join(dir, "y-1.npy")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("%v, %v", info, err)
	}
}

// A pipe as -events that has no reader, or is not even opened, does not block the loop, and a late reader gets
// whole lines.
func TestPipeAsEvents(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events")
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := OpenEvents(file, nil, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan bool)
	go func() {
		for i := range uint64(2 * maxJobs) { // more than there is room for
			e.Line(status.Line{Kind: "emitted", Round: i}, tensor.Of([]float32{1}, 1))
		}
		e.Settle()
		e.Settle()
		close(told)
	}()
	select {
	case <-told:
	case <-time.After(time.Minute):
		t.Fatal("it waits for a reader")
	}
	r, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	lines := json.NewDecoder(r)
	for i := range uint64(100) {
		var l status.Line
		if err := lines.Decode(&l); err != nil {
			t.Fatal(err)
		}
		if l.Round != i {
			t.Fatalf("line %d is of round %d", i, l.Round)
		}
	}
}
