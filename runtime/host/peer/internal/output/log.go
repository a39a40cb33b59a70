package output

import (
	"bytes"
	"fmt"
	"io"
	"time"
)

// Log writes logs on a goroutine of its own: standard error may be a pipe that
// nobody reads. Lines for which there is no room are left out, and counted.
type Log struct {
	*worker
	w io.Writer
}

// NewLog writes logs to w.
func NewLog(w io.Writer) *Log { return &Log{newWorker(), w} }

// Write takes a line.
func (l *Log) Write(b []byte) (int, error) {
	line := bytes.Clone(b)
	l.give(len(line), func() {
		l.w.Write(line) // nobody could be told that it has failed
		if n := l.lostSoFar(); n > 0 {
			fmt.Fprintf(l.w, "%d lines of the log are left out\n", n)
		}
	})
	return len(b), nil
}

// logPatience is how long a log may take no line before the peer ends without the rest.
const logPatience = 5 * time.Second

// End writes what waits, if somebody reads it.
func (l *Log) End() {
	l.Flush(logPatience)
	l.close()
}
