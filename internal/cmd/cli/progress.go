package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// Progress shows what long work is doing: one line that is written over on a
// terminal, nothing in a pipe, and a line a stage where verbose is asked for.
type Progress struct {
	w       io.Writer
	live    bool
	verbose bool
	quiet   bool
	start   time.Time
	shown   int
}

// NewProgress reports to w; quiet silences it everywhere.
func NewProgress(w io.Writer, quiet, verbose bool) *Progress {
	f, ok := w.(*os.File)
	return &Progress{w: w, live: ok && !quiet && term.IsTerminal(int(f.Fd())), verbose: verbose && !quiet, quiet: quiet, start: time.Now()}
}

// Stage says what is being done now.
func (p *Progress) Stage(format string, args ...any) {
	if p == nil {
		return
	}
	msg := fmt.Sprintf(format, args...)
	if p.verbose {
		p.clear()
		fmt.Fprintf(p.w, "%7.3fs  %s\n", time.Since(p.start).Seconds(), msg)
	}
	if p.live && !p.verbose {
		p.clear()
		p.shown = len([]rune(msg))
		fmt.Fprint(p.w, msg)
	}
}

// Note says on a line of its own what may surprise.
func (p *Progress) Note(text string) {
	if p != nil && !p.quiet {
		p.clear()
		fmt.Fprintln(p.w, text)
	}
}

// Done takes the line away.
func (p *Progress) Done() {
	if p != nil {
		p.clear()
	}
}

func (p *Progress) clear() {
	if p.shown > 0 {
		fmt.Fprint(p.w, "\r"+strings.Repeat(" ", p.shown)+"\r")
		p.shown = 0
	}
}
