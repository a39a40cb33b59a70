package train

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// progress is a progress line on a terminal, which is overwritten; without a terminal it prints nothing.
type progress struct {
	w            io.Writer
	live         bool
	width        int // of the terminal, in letters
	start, drawn time.Time
	first, total int // steps
	shown        int // runes on the line
	examples     int // since start
}

// interval is how often the line is drawn.
const interval = 100 * time.Millisecond

func newProgress(w io.Writer, first, total int) *progress {
	f, ok := w.(*os.File)
	live := false
	if ok {
		st, err := f.Stat()
		live = err == nil && st.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
	}
	return &progress{w: w, live: live, width: terminalWidth(), start: time.Now(), first: first, total: total}
}

// terminalWidth returns the width in the variable COLUMNS, which bbgen sets, or the usual one.
func terminalWidth() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 1 {
		return n
	}
	return 80
}

// step updates the line after a step, with the mean loss since the last validation.
func (p *progress) step(step, epoch int, loss float64, examples int) {
	p.examples += examples
	now := time.Now()
	if !p.live || now.Sub(p.drawn) < interval {
		return
	}
	p.drawn = now
	spent := now.Sub(p.start)
	left := time.Duration(float64(spent) / float64(step-p.first) * float64(p.total-step)).Round(time.Second)
	p.draw(step, fmt.Sprintf("epoch %d  loss %.4f  %.0f examples/s  %v left", epoch, loss, float64(p.examples)/spent.Seconds(), left))
}

// validating shows the progress of a validation.
func (p *progress) validating(done, n int) {
	if now := time.Now(); p.live && now.Sub(p.drawn) >= interval {
		p.drawn = now
		p.draw(p.total*done/n, fmt.Sprintf("validating %d of %d", done, n))
	}
}

// draw draws the line: a bar, unless the terminal is narrow, and a text. It is cut at the edge, as a wrapped line would
// not be overwritten.
func (p *progress) draw(step int, text string) {
	const width, narrow = 24, 60
	if p.width >= narrow {
		done := min(width*step/max(p.total, 1), width)
		text = "[" + strings.Repeat("=", done) + strings.Repeat(" ", width-done) + "] " + text
	}
	line := []rune(text)
	line = line[:min(len(line), p.width-1, 79)]
	fmt.Fprint(p.w, "\r"+string(line)+strings.Repeat(" ", max(p.shown-len(line), 0)))
	p.shown = len(line)
}

// clear removes the line. Before the first step there is none.
func (p *progress) clear() {
	if p != nil && p.shown > 0 {
		fmt.Fprint(p.w, "\r"+strings.Repeat(" ", p.shown)+"\r")
		p.shown = 0
	}
}
