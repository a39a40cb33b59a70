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

// Events writes lines, on a goroutine of its own: whoever reads them may be slow, or
// never read.
type Events struct {
	*worker
	log    *slog.Logger
	out    *Files       // that who reads a line finds written; nil: none
	open   func() error // the file, when the first line is written; nil: it is open
	w      io.Writer
	f      *os.File     // to be closed, and synced if it is a regular file; nil: none
	b      bytes.Buffer // a line
	failed bool         // the last line could not be written
	begun  bool         // a part of it is there all the same
	stuck  atomic.Bool  // nobody reads
}

// NewEvents writes lines to w. Of a value that stands in a line the file of out is there
// before the line is.
func NewEvents(w io.Writer, out *Files, log *slog.Logger) *Events {
	return &Events{worker: newWorker(), w: w, out: out, log: log}
}

// OpenEvents opens the file of -events; see [NewEvents]. A nil log takes no lines. Opening
// a pipe waits for its reader: that is for the goroutine that writes.
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

// Line has a line written, of a value if there is one.
func (e *Events) Line(l status.Line, value *tensor.Tensor) {
	if e == nil {
		return
	}
	size := lineBytes
	if value != nil {
		size += value.Len() * max(value.DType.Size(), 1)
	}
	job := func() { e.write(&l, value) }
	if value != nil && e.out != nil { // who reads the line finds the file of -out
		job = func() {
			e.out.Flush(readerPatience)
			e.write(&l, value)
		}
	}
	if !e.give(size, job) {
		return
	}
	if n := e.lostSoFar(); n > 0 {
		e.log.Error("-events: lines are lost, as nobody reads or the disk is slow", "lines", n)
	}
}

// lineBytes is about what a line keeps of memory.
const lineBytes = 1 << 10

// write writes a line. One for which there is no room is lost, and does not take the
// next with it.
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

// readerPatience is how long who reads lines may take for one before a snapshot is kept
// without waiting for it.
const readerPatience = time.Second

// Settle has the lines survive that were given so far, unless nobody reads them.
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
		e.f.Sync() // what has failed was told
	}
}

// End closes the file when all lines are written. Who reads none for so long is not waited
// for.
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
