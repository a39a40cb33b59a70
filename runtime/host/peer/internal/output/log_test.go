package output

import (
	"bufio"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// Logging does not wait for a reader. A late reader gets the first lines, and the number of dropped ones.
func TestLogThatNobodyReads(t *testing.T) {
	r, w := io.Pipe()
	logs := NewLog(w)
	log := slog.New(slog.NewTextHandler(logs, nil))
	for i := range 3 * maxJobs {
		log.Info("a line", "number", i)
	}
	go func() {
		logs.Flush(time.Minute)
		logs.close()
		w.Close()
	}()
	lines, lost := 0, false
	for s := bufio.NewScanner(r); s.Scan(); lines++ {
		lost = lost || strings.HasSuffix(s.Text(), "lines of the log are left out")
	}
	if lines < maxJobs || lines > 2*maxJobs+2 || !lost {
		t.Errorf("%d lines are written, and it is said that some are left out: %t", lines, lost)
	}
}
