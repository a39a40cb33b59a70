package tensorboard

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// filePrefix is the prefix of the names of event files. A time in seconds follows, by which TensorBoard orders
// the files of a folder.
const filePrefix = "events.out.tfevents."

// flushEvery is the maximum delay until a number is in the file, as long as numbers are written.
const flushEvery = time.Second

// Writer writes an event file.
type Writer struct {
	f       *os.File
	w       *bufio.Writer
	now     func() time.Time
	flushed time.Time
	event   []byte // of the present call
	record  []byte
}

// Create begins an event file in dir, after existing ones. Entries of the other files for the step first and
// later ones become invalid: this training continues the one before.
func Create(dir string, first int) (*Writer, error) { return create(dir, first, time.Now) }

func create(dir string, first int, now func() time.Time) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	second, err := nextSecond(dir, now().Unix())
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf("%s%010d.%s", filePrefix, second, host)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	w := &Writer{f: f, w: bufio.NewWriter(f), now: now, flushed: now()}
	w.begin(0)
	w.event = appendBytes(w.event, eventVersion, []byte("brain.Event:2"))
	if err := w.end(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	w.begin(first)
	w.event = appendBytes(w.event, eventSession, appendVarint(nil, sessionStatus, sessionStart))
	if err := errors.Join(w.end(), w.Flush()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

// nextSecond returns the time for the name of a new file: now, or one second after the latest file, which may
// be later because of the clock or a quick restart.
func nextSecond(dir string, now int64) (int64, error) {
	files, err := os.ReadDir(dir)
	for _, f := range files {
		rest, ok := strings.CutPrefix(f.Name(), filePrefix)
		if !ok {
			continue
		}
		text, _, _ := strings.Cut(rest, ".")
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= now {
			now = n + 1
		}
	}
	return now, err
}

// Scalar is a named number.
type Scalar struct {
	Tag   string
	Value float64
}

// Scalars writes the numbers of a step.
func (w *Writer) Scalars(step int, list ...Scalar) error {
	var summary []byte
	for _, s := range list {
		summary = appendScalar(summary, s.Tag, s.Value)
	}
	return w.summary(step, summary)
}

// Histogram writes a histogram of a step.
func (w *Writer) Histogram(step int, tag string, h *Histogram) error {
	return w.summary(step, appendHistogram(nil, tag, h))
}

func (w *Writer) summary(step int, summary []byte) error {
	w.begin(step)
	w.event = appendBytes(w.event, eventSummary, summary)
	if err := w.end(); err != nil {
		return err
	}
	if now := w.now(); now.Sub(w.flushed) >= flushEvery {
		return w.Flush()
	}
	return nil
}

// begin begins an event.
func (w *Writer) begin(step int) {
	w.event = appendHead(w.event[:0], float64(w.now().UnixMicro())/1e6, step)
}

// end writes the event.
func (w *Writer) end() error {
	w.record = appendRecord(w.record[:0], w.event)
	_, err := w.w.Write(w.record)
	return err
}

// Flush writes buffered data for readers.
func (w *Writer) Flush() error {
	w.flushed = w.now()
	return w.w.Flush()
}

// Close ends the file.
func (w *Writer) Close() error { return errors.Join(w.w.Flush(), w.f.Close()) }
