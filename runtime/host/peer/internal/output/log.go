package output

import (
	"bytes"
	"fmt"
	"io"
	"time"
)

// Log writes logs with a goroutine of its own: standard error may be a pipe without a reader. Lines for which
// there is no room are dropped and counted.
type Log struct {
	*worker
	w io.Writer
}

// NewLog writes logs to w.
func NewLog(w io.Writer) *Log { return &Log{newWorker(), w} }

// Write queues a line.
func (l *Log) Write(b []byte) (int, error) {
	line := bytes.Clone(b)
	l.give(len(line), func() {
		l.w.Write(line) // there is no way to report a failure
		if n := l.lostSoFar(); n > 0 {
			fmt.Fprintf(l.w, "%d lines of the log are left out\n", n)
		}
	})
	return len(b), nil
}

// logPatience is how long a log may block before the peer ends without writing the rest.
const logPatience = 5 * time.Second

// End writes the queued lines, if there is a reader.
func (l *Log) End() {
	l.Flush(logPatience)
	l.close()
}
