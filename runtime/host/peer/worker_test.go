//go:build unix

package peer

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk/disktest"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Jobs are done in order, each that there was room for.
func TestWorker(t *testing.T) {
	w, hold := newWorker(), make(chan bool)
	var done []int
	w.give(maxJobBytes, func() { <-hold })
	w.give(1, func() { t.Error("a job is done for which there is no room") })
	for i := range 10 {
		w.give(0, func() { done = append(done, i) })
	}
	if w.flush(0) {
		t.Error("all is done, and nothing can be")
	}
	close(hold)
	if !w.flush(time.Minute) || len(done) != 10 || done[9] != 9 || w.lostSoFar() != 1 {
		t.Errorf("done are %v", done)
	}
	w.close()
	if w.give(0, func() {}) {
		t.Error("a worker that is closed takes a job")
	}
}

// Who has no patience never waits for a worker that is busy: the timer may end before
// the wait begins.
func TestFlushWithoutPatience(t *testing.T) {
	w, hold := newWorker(), make(chan bool)
	defer w.close()
	defer close(hold)
	w.give(0, func() { <-hold })
	ended := make(chan bool)
	go func() {
		for range 20000 {
			w.flush(0)
		}
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("it waits for the worker")
	}
}

func emittedValue(h *host, number uint64, x float32) runtime.Event {
	return runtime.Event{Kind: runtime.Emitted, Module: "x", Name: "y", Exec: wire.ExecID{Origin: h.config.Self, Number: number}, Value: tensor.Of([]float32{x}, 1)}
}

// A disk that is full keeps files of -out waiting, and nobody else; when there is room
// all of them are there, whole, in order.
func TestFullOut(t *testing.T) {
	d, dir := disktest.New(), t.TempDir()
	var errs strings.Builder
	h, err := newTestHost(t, Options{Out: dir, disk: d}, &errs)
	if err != nil {
		t.Fatal(err)
	}
	d.Room(200) // for one of them and a half
	for i := range uint64(5) {
		h.tell(emittedValue(h, i, float32(i)))
		h.out.retry()
	}
	h.out.flush(time.Minute)
	files := func() (names []string) {
		list, _ := os.ReadDir(dir)
		for _, e := range list {
			names = append(names, e.Name())
		}
		return names
	}
	if got := files(); h.done || h.err != nil || len(got) != 1 || got[0] != "y-0.npy" {
		t.Fatalf("%v is there, and the host has ended: %v, %v", got, h.done, h.err)
	}
	if n := strings.Count(errs.String(), "no space left"); n != 1 {
		t.Errorf("it says so %d times: %s", n, &errs)
	}
	d.Room(-1)
	h.out.retry()
	h.out.flush(time.Minute)
	if got := files(); len(got) != 5 {
		t.Errorf("%v is there", got)
	}
	if err := h.out.end(h); err != nil {
		t.Error(err)
	}
}

// Files for which there never was room are told of at the end.
func TestFullOutAtTheEnd(t *testing.T) {
	d := disktest.New()
	h, err := newTestHost(t, Options{Out: t.TempDir(), Log: "none", disk: d}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	d.Room(0)
	h.tell(emittedValue(h, 1, 1))
	if err := h.out.end(h); err == nil || !strings.Contains(err.Error(), "could not be written: 1") {
		t.Errorf("it says %v", err)
	}
}

// A file that an earlier round has left takes no time, and is replaced as a whole: what
// was there may be a pipe that nobody reads.
func TestPipeAsOut(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "y-1.npy"), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := newTestHost(t, Options{Out: dir}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	h.tell(emittedValue(h, 1, 1))
	if !h.out.flush(time.Minute) {
		t.Fatal("it waits for a reader")
	}
	if info, err := os.Stat(filepath.Join(dir, "y-1.npy")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("%v, %v", info, err)
	}
}

// A pipe that nobody reads, or not even opens, as -events keeps the loop from nothing,
// and who reads it later finds whole lines.
func TestPipeAsEvents(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events")
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := newTestHost(t, Options{Events: file, Log: "none"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan bool)
	go func() {
		for i := range uint64(2 * maxJobs) { // more than there is room for
			h.tell(emittedValue(h, i, 1))
		}
		h.events.settle()
		h.events.settle()
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
		var l Line
		if err := lines.Decode(&l); err != nil {
			t.Fatal(err)
		}
		if i > 0 && l.Round != i-1 {
			t.Fatalf("line %d is of round %d", i, l.Round)
		}
	}
}
