package peer

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"time"
)

// Who logs does not wait for a reader. One who begins to read has the first lines, and
// hears how many are left out.
func TestLogThatNobodyReads(t *testing.T) {
	r, w := io.Pipe()
	logs := newLogWriter(w)
	log, err := newLog(logs, "text", "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 * maxJobs {
		log.Info("a line", "number", i)
	}
	go func() {
		logs.flush(time.Minute)
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

// A peer that has to say why it ends does end if nobody reads that.
func TestLastWords(t *testing.T) {
	t.Parallel() // it waits a few seconds
	_, w := io.Pipe()
	if code := Do(t.Context(), Program{Name: "p"}, []string{"-nonsense"}, io.Discard, w); code != 2 {
		t.Errorf("the code is %d, want 2", code)
	}
}
