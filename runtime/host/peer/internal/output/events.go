package output

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/bbgen/bbgen/runtime/host/feed"
	"github.com/bbgen/bbgen/runtime/host/peer/status"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Events writes lines with a goroutine of its own: their reader may be slow, or may not read at all.
type Events struct {
	*worker
	log    *slog.Logger
	out    *Files       // files that must exist before a line refers to them; may be nil
	open   func() error // opens the file for the first line; nil: it is open
	w      io.Writer
	f      *os.File     // to be closed, and synced if it is a regular file; may be nil
	b      bytes.Buffer // a line
	failed bool         // the last line could not be written
	begun  bool         // a part of the failed line was written
	stuck  atomic.Bool  // there is no reader
}

// NewEvents writes lines to w. The file of out with a line's value is written before the line.
func NewEvents(w io.Writer, out *Files, log *slog.Logger) *Events {
	return &Events{worker: newWorker(), w: w, out: out, log: log}
}

// OpenEvents opens the file of -events; see [NewEvents]. A nil log drops lines. Opening a pipe waits for its
// reader, so the writing goroutine does it.
func OpenEvents(file string, stdout io.Writer, out *Files, log *slog.Logger) (*Events, error) {
	switch file {
	case "":
		return nil, nil
	case "-":
		return NewEvents(stdout, out, log), nil
	}
	e := NewEvents(nil, out, log)
	open := func() (err error) {
		e.f, err = os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		e.w = e.f
		return err
	}
	if info, err := os.Stat(file); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
		e.open = open
		return e, nil
	}
	return e, open()
}

// Line writes a line, with a value if it is not nil.
func (e *Events) Line(l status.Line, value *tensor.Tensor) {
	if e == nil {
		return
	}
	size := lineBytes
	if value != nil {
		size += value.Len() * max(value.DType.Size(), 1)
	}
	job := func() { e.write(&l, value) }
	if value != nil && e.out != nil { // the reader of the line expects the file of -out
		job = func() {
			e.out.Flush(readerPatience)
			e.write(&l, value)
		}
	}
	if !e.give(size, job) {
		return
	}
	if n := e.lostSoFar(); n > 0 {
		e.log.Error("-events: lines are lost, as the reader or the disk is slow", "lines", n)
	}
}

// lineBytes is the approximate memory of a queued line.
const lineBytes = 1 << 10

// write writes a line. If there is no room the line is lost, but not the next one.
func (e *Events) write(l *status.Line, value *tensor.Tensor) {
	if value != nil {
		l.Value, l.Type, l.Hash = feed.Shown(value)
	}
	e.b.Reset()
	if e.begun {
		e.b.WriteByte('\n')
	}
	json.NewEncoder(&e.b).Encode(l)
	n, err := e.put()
	switch {
	case err != nil && !e.failed:
		e.log.Error("-events: lines are lost", "err", err)
	case err == nil && e.failed:
		e.log.Info("-events: lines are written again")
	}
	e.failed = err != nil
	e.begun = err != nil && (n > 0 || e.begun)
}

func (e *Events) put() (int, error) {
	if e.open != nil {
		if err := e.open(); err != nil {
			return 0, err
		}
		e.open = nil
	}
	return e.w.Write(e.b.Bytes())
}

// readerPatience is how long a reader of lines may block before a snapshot is stored without waiting for it.
const readerPatience = time.Second

// Settle makes all earlier lines durable, unless there is no reader.
func (e *Events) Settle() {
	if e == nil || e.stuck.Load() && !e.Flush(0) {
		return
	}
	e.give(0, e.sync)
	e.stuck.Store(!e.Flush(readerPatience))
}

func (e *Events) sync() {
	if e.f == nil {
		return
	}
	if info, err := e.f.Stat(); err == nil && info.Mode().IsRegular() {
		e.f.Sync() // failures were reported
	}
}

// End closes the file when all lines are written. It does not wait for a reader that reads nothing for the time
// patience.
func (e *Events) End(patience time.Duration) {
	if e == nil {
		return
	}
	if e.stuck.Load() {
		patience = 0
	}
	if e.Flush(patience) && e.f != nil {
		e.f.Close()
	}
	e.close()
}
