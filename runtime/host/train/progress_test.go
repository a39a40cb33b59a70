package train

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgress draws a line at most every tenth of a second: a bar, what has been done, and the time that is left. A
// shorter line covers the one before.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		p := newProgress(&out, 10, 50)
		p.width = 80
		if p.live {
			t.Fatal("a buffer is a terminal")
		}
		p.step(11, 1, 2, 32) // its examples count
		p.validating(1, 2)
		p.clear()
		if out.Len() > 0 {
			t.Fatalf("without a terminal it prints %q", &out)
		}
		p.live = true
		drawn := func() string {
			defer out.Reset()
			return out.String()
		}
		time.Sleep(time.Second)
		p.step(20, 2, 1.5, 68)
		first := "\r[=========               ] epoch 2  loss 1.5000  100 examples/s  3s left"
		if got := drawn(); got != first {
			t.Errorf("got\n%q, want\n%q", got, first)
		}
		p.step(21, 2, 1.5, 1)
		p.validating(1, 4)
		if got := drawn(); got != "" {
			t.Errorf("at the same time it draws %q", got)
		}
		time.Sleep(interval)
		p.validating(1, 4)
		line := "[=====                   ] validating 1 of 4"
		if got := drawn(); got != "\r"+line+strings.Repeat(" ", len(first)-1-len(line)) {
			t.Errorf("got %q, want %q over the line before", got, line)
		}
		for range 2 {
			p.clear()
		}
		if got, want := drawn(), "\r"+strings.Repeat(" ", len(line))+"\r"; got != want {
			t.Errorf("clear prints %q, want once %q", got, want)
		}
		p.draw(99, strings.Repeat("ä", 100))
		if got := []rune(drawn()); len(got) != 80 || string(got[:26]) != "\r["+strings.Repeat("=", 24) {
			t.Errorf("a long line has %d letters, %q, want a full bar and 79 in all", len(got), string(got))
		}
		p.clear()
		out.Reset()
		p.width = 30
		p.draw(1, strings.Repeat("ä", 100))
		if got, want := drawn(), "\r"+strings.Repeat("ä", 29); got != want {
			t.Errorf("on a narrow terminal it draws %q, want %q", got, want)
		}
	})
}

// TestProgressOfFiles: a file is no terminal, and a terminal that cannot go back is used like a file.
func TestProgressOfFiles(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // a device, as terminals are
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	t.Setenv("TERM", "xterm")
	if newProgress(f, 0, 1).live || !newProgress(null, 0, 1).live {
		t.Error("a file is live, or a device is not")
	}
	t.Setenv("TERM", "dumb")
	if newProgress(null, 0, 1).live {
		t.Error("a dumb terminal is live")
	}
}
