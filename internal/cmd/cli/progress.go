package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// Progress shows the stages of long work: on a terminal as one line that is overwritten, in a pipe not at
// all, and with verbose as a line for each stage.
type Progress struct {
	w       io.Writer
	live    bool
	verbose bool
	quiet   bool
	start   time.Time
	shown   int
}

// NewProgress returns a Progress that writes to w. With quiet, it writes nothing.
func NewProgress(w io.Writer, quiet, verbose bool) *Progress {
	f, ok := w.(*os.File)
	return &Progress{w: w, live: ok && !quiet && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd())), verbose: verbose && !quiet, quiet: quiet, start: time.Now()}
}

// Width returns the width of a terminal in letters, or 0 if w is none.
func Width(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// Stage shows the current stage.
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

// Note prints a remark on a line of its own.
func (p *Progress) Note(text string) {
	if p != nil && !p.quiet {
		p.clear()
		fmt.Fprintln(p.w, text)
	}
}

// Done clears the line.
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
