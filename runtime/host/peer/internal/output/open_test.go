package output

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/disk/disktest"
	"github.com/bbgen/bbgen/runtime/host/peer/status"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Lines go to the file that is named, behind what is there, or to standard output. Without -events and -out, nothing
// is written and nothing fails.
func TestOpen(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	for _, c := range []struct{ file, had, want string }{
		{"-", "", "written"},
		{"new", "", "written"},
		{"old", "before\n", "before\nwritten"},
	} {
		var stdout bytes.Buffer
		file := c.file
		if file != "-" {
			file = filepath.Join(t.TempDir(), file)
		}
		if c.had != "" {
			if err := os.WriteFile(file, []byte(c.had), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		e, err := OpenEvents(file, &stdout, nil, log)
		if err != nil {
			t.Fatal(err)
		}
		e.Line(status.Line{Kind: "emitted"}, nil)
		e.Settle()
		e.End(time.Minute)
		got := stdout.String()
		if file != "-" {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got = string(b)
		}
		head, line := got[:len(c.had)], got[len(c.had):]
		var l status.Line
		if err := json.Unmarshal([]byte(line), &l); err != nil || head != c.had || l.Kind != "emitted" {
			t.Errorf("%s holds %q: %v", c.file, got, err)
		}
	}

	if _, err := OpenEvents(t.TempDir(), nil, nil, log); err == nil {
		t.Error("a folder is opened for lines")
	}
	if _, err := OpenFiles(disk.OS, filepath.Join(os.DevNull, "x"), log); err == nil {
		t.Error("a folder is made below a file")
	}

	e, err := OpenEvents("", nil, nil, log)
	e.Line(status.Line{}, nil)
	e.Settle()
	e.End(time.Minute)
	o, err2 := OpenFiles(disk.OS, "", log)
	o.Value(emitted(1, tensor.Of([]float32{1}, 1)), "")
	o.Retry()
	o.Settle(time.Minute)
	if err3 := o.End(time.Minute); e != nil || o != nil || err != nil || err2 != nil || err3 != nil {
		t.Errorf("without -events and -out: %v, %v, %v", err, err2, err3)
	}
}

func emitted(number uint64, v tensor.Value) runtime.Event {
	return runtime.Event{Kind: runtime.Emitted, Module: "x", Name: "y", Exec: wire.ExecID{Number: number}, Value: v}
}

// watched is a writer that looks whether a file exists when a line is written.
type watched struct {
	bytes.Buffer
	dir    string
	exists bool
}

func (w *watched) Write(b []byte) (int, error) {
	list, _ := os.ReadDir(w.dir)
	w.exists = len(list) == 1
	return w.Buffer.Write(b)
}

// The file of a value exists when its line is written, as the reader of the line opens it. The line says what the
// value is.
func TestFileBeforeLine(t *testing.T) {
	w := &watched{dir: t.TempDir()}
	log := slog.New(slog.DiscardHandler)
	o, err := OpenFiles(disk.OS, w.dir, log)
	if err != nil {
		t.Fatal(err)
	}
	e := NewEvents(w, o, log)
	x := tensor.Of([]float32{1, 2}, 2)
	o.Value(emitted(1, x), "")
	e.Line(status.Line{Kind: "emitted"}, x)
	e.End(time.Minute)
	if !w.exists || !strings.Contains(w.String(), `"value":[1,2]`) || !strings.Contains(w.String(), "float32") {
		t.Errorf("the file exists: %v; the line is %s", w.exists, w)
	}
	o.Value(runtime.Event{Kind: runtime.Emitted, Value: &tensor.Sequence{Elem: tensor.Float32}}, "") // has no file
	if err := o.End(time.Minute); err != nil {
		t.Error(err)
	}
}

// Files that wait for room have a limit: beyond it the oldest are given up, which is said once, and counted at the end.
func TestTooManyLateFiles(t *testing.T) {
	d := disktest.New()
	var log strings.Builder
	o, err := OpenFiles(d, t.TempDir(), slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	d.Room(0)
	big := tensor.New(tensor.Uint8, maxLate/2+1)
	for i := range uint64(4) {
		o.Value(emitted(i, big), "")
	}
	o.Settle(time.Minute)
	d.Room(-1)
	o.Retry()
	err = o.End(time.Minute)
	if err == nil || !strings.Contains(err.Error(), "files that could not be written: 3") {
		t.Errorf("at the end: %v", err)
	}
	if n := strings.Count(log.String(), "files are lost"); n != 1 {
		t.Errorf("it says %d times that files are lost: %s", n, &log)
	}
}

// Values for which the queue has no room are lost files, too: the disk may hang for long.
func TestQueueIsFull(t *testing.T) {
	o, err := OpenFiles(disk.OS, t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	hangs := make(chan bool)
	o.give(maxJobBytes, func() { <-hangs })
	o.Value(emitted(1, tensor.New(tensor.Uint8, 10)), "")
	close(hangs)
	o.Flush(time.Minute)
	if n := o.lostSoFar(); n != 1 {
		t.Errorf("%d values are lost, want 1", n)
	}
	if err := o.End(time.Minute); err == nil || !strings.Contains(err.Error(), "files that could not be written: 1") {
		t.Errorf("at the end: %v", err)
	}
}

// The end of a log waits until its lines are written; lines after it are dropped.
func TestLogEnds(t *testing.T) {
	r, w := io.Pipe()
	got := make(chan string)
	go func() {
		b, _ := io.ReadAll(r)
		got <- string(b)
	}()
	l := NewLog(w)
	l.Write([]byte("one\n"))
	l.Write([]byte("two\n"))
	l.End()
	l.Write([]byte("three\n"))
	w.Close()
	if text := <-got; text != "one\ntwo\n" {
		t.Errorf("got %q", text)
	}
}
