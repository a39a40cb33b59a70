package tensorboard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/tensorboard/eventtest"
)

// TestCreateRefuses: a folder that cannot be made, or read, is an error.
func TestCreateRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "runs")} {
		if w, err := Create(dir, 1); err == nil {
			w.Close()
			t.Errorf("%s is a folder", dir)
		}
	}
}

// TestOrder: a new file comes after those that are there, also if the clock was put back, and whatever else is in the folder.
func TestOrder(t *testing.T) {
	dir := t.TempDir()
	now := time.Unix(1700000000, 0)
	for _, name := range []string{filePrefix + "1700000500.host", filePrefix + "0000000001.host", filePrefix + "soon.host", filePrefix, "notes.txt", "events.out.1800000000.host"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for range 3 {
		w, err := create(dir, 1, func() time.Time { return now })
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, filepath.Base(w.f.Name()))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		now = now.Add(-time.Hour)
	}
	for i, name := range names {
		if want := fmt.Sprintf("%s17000005%02d.", filePrefix, i+1); !strings.HasPrefix(name, want) {
			t.Errorf("file %d is %s, want %s…", i, name, want)
		}
	}
}

// TestWriteFails: a file that cannot be written any more is an error of the call that flushes, and of all later ones.
func TestWriteFails(t *testing.T) {
	now := time.Unix(1700000000, 0)
	w, err := create(t.TempDir(), 1, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	w.f.Close()
	if err := w.Scalars(1, Scalar{"loss", 1}); err != nil {
		t.Errorf("a number in memory: %v", err)
	}
	now = now.Add(flushEvery)
	if err := w.Scalars(2, Scalar{"loss", 1}); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a flush: %v", err)
	}
	if err := w.Histogram(3, "w", &Histogram{Count: 1, Limits: make([]float64, 1000), Counts: make([]float64, 1000)}); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("after it: %v", err)
	}
	if err := w.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("at the end: %v", err)
	}
}

// TestRecordsStandAlone: records have no common state, so that what one process has written can follow what another has.
func TestRecordsStandAlone(t *testing.T) {
	w, err := create(t.TempDir(), 1, clock())
	if err != nil {
		t.Fatal(err)
	}
	for step := range 5 {
		if err := w.Scalars(step+1, Scalar{"loss", float64(step)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	name := w.f.Name()
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Count(eventtest.Text(t, name), "simple_value")
	if all != 5 {
		t.Fatalf("there are %d numbers, want 5", all)
	}
	if err := os.WriteFile(name, append(append([]byte(nil), whole...), whole...), 0o600); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(eventtest.Text(t, name), "simple_value"); n != 10 {
		t.Errorf("two files one behind the other have %d numbers, want 10", n)
	}
}
