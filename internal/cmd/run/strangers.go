package run

import (
	"fmt"
	"io"
	"strings"
)

// late is after how many seconds peers that have not reached each other are reported.
const late = 5

// strangers returns lines about peers whose program has not begun for long, as they cannot reach others, and about what to
// check: none if there are no such peers.
func (b *board) strangers() []string {
	if b.seconds < late {
		return nil
	}
	lines := b.apart()
	if lines != nil {
		lines = append(lines, "peers cannot reach each other: see whether a firewall or a proxy refuses connections between processes of this machine, and what the peers say with --verbose")
	}
	return lines
}

// apart returns a line for each of the first peers whose program has not begun, as they have not reached others.
func (b *board) apart() (lines []string) {
	for i := range b.rows {
		r := &b.rows[i]
		if r.state != starting || len(r.missing) == 0 {
			continue
		}
		if len(lines) == maxTrouble {
			return append(lines, "… and more")
		}
		line := r.name + " waits for " + strings.Join(r.missing[:min(len(r.missing), maxTrouble)], ", ")
		if n := len(r.missing) - maxTrouble; n > 0 {
			line += fmt.Sprintf(" and %d more", n)
		}
		if len(r.apart) > 0 {
			line += " (" + r.apart[0] + ")"
		}
		lines = append(lines, line)
	}
	return lines
}

// complaint reports strangers where no table shows them, less and less often.
type complaint struct {
	w    io.Writer
	next float64 // when it does so again, in seconds
}

func (c *complaint) tell(b *board) {
	lines := b.strangers()
	if lines == nil || b.seconds < c.next {
		return
	}
	c.next = 2 * b.seconds
	fmt.Fprintf(c.w, "after %.0f s: %s\n%s\n", b.seconds, b.states(), strings.Join(lines, "\n"))
}
