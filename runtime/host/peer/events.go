package peer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/feed"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Line is one line of -events: what a program that launches peers reads.
type Line struct {
	Time  time.Time `json:"time"`
	Peer  string    `json:"peer"` // who writes: client-3
	Kind  string    `json:"kind"` // an event of the node, or: started, status, refused, ended
	From  string    `json:"from,omitempty"`
	Name  string    `json:"name,omitempty"`
	Round uint64    `json:"round,omitempty"` // the execution's number at its origin
	Value any       `json:"value,omitempty"` // of emitted: a number or a short list
	Type  string    `json:"type,omitempty"`  // of emitted: float32[10,784]
	Hash  string    `json:"hash,omitempty"`  // of emitted: SHA-256 of the elements
	Error string    `json:"error,omitempty"`

	// Dropped is how many lines of this kind and peer were left out before this
	// one, because there were too many.
	Dropped uint64 `json:"dropped,omitempty"`

	*Status
}

// Status is how a peer is doing.
type Status struct {
	ID        string         `json:"id"`
	State     string         `json:"state"`     // waiting, running, stopping
	Completed uint64         `json:"completed"` // the execution of its own that ended last
	Latest    uint64         `json:"latest"`    // the latest execution that ended here, whoever began it
	Live      int            `json:"live"`      // executions
	Outbound  int            `json:"outbound"`  // envelopes not acknowledged
	In        int64          `json:"in"`        // bytes
	Out       int64          `json:"out"`
	Missing   []string       `json:"missing,omitempty"` // peers that cannot be heard
	Waits     []string       `json:"waits,omitempty"`   // what executions have waited for for long, the first of them
	Unsaved   string         `json:"unsaved,omitempty"` // why the latest snapshot could not be written
	Addresses []wire.Address `json:"addresses,omitempty"`
	Pages     string         `json:"pages,omitempty"` // where they are served: http://127.0.0.1:8080/

	Fed        bool `json:"fed,omitempty"`        // all that -in gives has been given
	Unanswered int  `json:"unanswered,omitempty"` // executions of it that have not come to their end
}

// eventLog writes lines, on a goroutine of its own: whoever reads them may be slow, or
// never read.
type eventLog struct {
	*worker
	log    *slog.Logger
	open   func() error // the file, when the first line is written; nil: it is open
	w      io.Writer
	f      *os.File     // to be closed, and synced if it is a regular file; nil: none
	b      bytes.Buffer // a line
	failed bool         // the last line could not be written
	begun  bool         // a part of it is there all the same
	stuck  atomic.Bool  // nobody reads
}

func newEventLog(w io.Writer, log *slog.Logger) *eventLog {
	return &eventLog{worker: newWorker(), w: w, log: log}
}

// openEvents opens the file of -events. A nil log takes no lines. Opening a pipe waits
// for its reader: that is for the goroutine that writes.
func openEvents(file string, stdout io.Writer, log *slog.Logger) (*eventLog, error) {
	switch file {
	case "":
		return nil, nil
	case "-":
		return newEventLog(stdout, log), nil
	}
	e := newEventLog(nil, log)
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

// line has a line written, of a value if there is one.
func (e *eventLog) line(h *host, l Line, value *tensor.Tensor) {
	l.Time, l.Peer = time.Now(), h.name()
	size := lineBytes
	if value != nil {
		size += value.Len() * max(value.DType.Size(), 1)
	}
	job := func() { e.write(&l, value) }
	if value != nil && h.out != nil { // who reads the line finds the file of -out
		job = func() {
			h.out.flush(readerPatience)
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
func (e *eventLog) write(l *Line, value *tensor.Tensor) {
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

func (e *eventLog) put() (int, error) {
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

// settle has the lines survive that were given so far, unless nobody reads them.
func (e *eventLog) settle() {
	if e == nil || e.stuck.Load() && !e.flush(0) {
		return
	}
	e.give(0, e.sync)
	e.stuck.Store(!e.flush(readerPatience))
}

func (e *eventLog) sync() {
	if e.f == nil {
		return
	}
	if info, err := e.f.Stat(); err == nil && info.Mode().IsRegular() {
		e.f.Sync() // what has failed was told
	}
}

func (e *eventLog) started(h *host) {
	if e != nil {
		e.line(h, Line{Kind: "started", Status: h.status()}, nil)
	}
}

func (e *eventLog) status(h *host) {
	if e != nil {
		e.line(h, Line{Kind: "status", Status: h.status()}, nil)
	}
}

func (e *eventLog) refused(h *host, id wire.PeerID, err error, dropped uint64) {
	if e != nil {
		e.line(h, Line{Kind: "refused", From: h.nameOf(id), Error: err.Error(), Dropped: dropped}, nil)
	}
}

// end writes the last line, for which it waits as long as lines get away.
func (e *eventLog) end(h *host) {
	if e == nil {
		return
	}
	l := Line{Kind: "ended"}
	if h.err != nil {
		l.Error = h.err.Error()
	}
	e.line(h, l, nil)
	patience := h.times.grace
	if e.stuck.Load() {
		patience = 0
	}
	if e.flush(patience) && e.f != nil {
		e.f.Close()
	}
	e.close()
}

func (e *eventLog) event(h *host, ev runtime.Event, dropped uint64) {
	if e == nil {
		return
	}
	l := Line{Kind: ev.Kind.String(), Name: ev.Name, Round: ev.Exec.Number, Dropped: dropped}
	if !ev.Peer.IsZero() {
		l.From = h.nameOf(ev.Peer)
	}
	if ev.Module != "" {
		l.Name = ev.Module
		if ev.Name != "" {
			l.Name += "." + ev.Name
		}
	}
	if ev.Err != nil {
		l.Error = ev.Err.Error()
	}
	t, _ := ev.Value.(*tensor.Tensor)
	e.line(h, l, t)
}

// name is what the peer is called among those of its program.
func (h *host) name() string { return fmt.Sprintf("%s-%d", h.program.Class, h.config.Rank) }

func (h *host) nameOf(id wire.PeerID) string {
	if l := h.links[id]; l != nil {
		return fmt.Sprintf("%s-%d", l.Class, l.Rank)
	}
	if id == h.config.Self {
		return h.name()
	}
	return id.String()
}
