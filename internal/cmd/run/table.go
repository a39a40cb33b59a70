package run

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"golang.org/x/term"

	"github.com/bbgen/bbgen/partitioner"
)

// table returns a line for each peer, and a summary. If there are more than limit peers, it omits running
// peers with nothing special, from the last of each class.
func (b *board) table(limit int) []string {
	strangers := b.strangers()
	limit = max(limit-len(strangers), 1)
	var s strings.Builder
	w := tabwriter.NewWriter(&s, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "peer\tstate\tround\tin\tout\tvalues\tmissing")
	for i := range b.rows[:min(limit, len(b.rows))] {
		r := &b.rows[i]
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", r.name, r.state, r.round, partitioner.Bytes(r.in), partitioner.Bytes(r.out),
			valueList(r.values), strings.Join(r.missing, " "))
	}
	w.Flush()
	var lines []string
	for l := range strings.Lines(s.String()) {
		lines = append(lines, strings.TrimRight(l, " \n"))
	}
	if n := len(b.rows) - limit; n > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more", n))
	}
	return append(append(lines, strangers...), fmt.Sprintf("%s after %.1f s", b.states(), b.seconds))
}

func valueList(values []value) string {
	var out []string
	for _, v := range values {
		out = append(out, v.name+" "+number(v.x))
	}
	return strings.Join(out, ", ")
}

// number returns a number with five digits, but a whole one with all of them: it may be a count or an id.
func number(x float64) string {
	const exact = 1 << 53
	if x == math.Trunc(x) && math.Abs(x) <= exact {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 5, 64)
}

// states counts peers by state: 7 up, 1 down.
func (b *board) states() string {
	count := map[string]int{}
	for i := range b.rows {
		count[b.rows[i].state]++
	}
	var out []string
	for _, s := range []string{starting, up, restarted, done, down, failed, killed} {
		if count[s] > 0 {
			out = append(out, fmt.Sprintf("%d %s", count[s], s))
		}
	}
	return strings.Join(out, ", ")
}

// means returns the latest values of all peers by class and name, averaged over those that have one.
func (b *board) means() []value {
	var out []value
	n := map[string]float64{}
	sum := map[string]float64{}
	for i := range b.rows {
		for _, v := range b.rows[i].values {
			name := b.rows[i].class + "." + v.name
			n[name]++
			sum[name] += v.x
		}
	}
	for name, s := range sum {
		out = append(out, value{name, s / n[name]})
	}
	slices.SortFunc(out, func(a, b value) int { return cmp.Compare(a.name, b.name) })
	return out
}

// killed returns how often peers have been killed.
func (b *board) killed() int {
	n := 0
	for i := range b.rows {
		n += b.rows[i].killed
	}
	return n
}

// sent returns the number of bytes sent by peers.
func (b *board) sent() int64 {
	var n int64
	for i := range b.rows {
		n += b.rows[i].out
	}
	return n
}

// summary returns the last line.
func (b *board) summary() string {
	s := "stopped"
	if b.complete() {
		s = "done"
	}
	s += fmt.Sprintf(" after %.1f s: %d peers", b.seconds, len(b.rows))
	for _, v := range b.means() {
		s += ", " + v.name + " " + number(v.x)
	}
	if n := b.sent(); n > 0 {
		s += ", " + partitioner.Bytes(n) + " sent"
	}
	if n := b.killed(); n > 0 {
		s += fmt.Sprintf(", %d killed", n)
	}
	if n := b.contributionsLeftOut(); n > 0 {
		s += fmt.Sprintf(", %d contributions left out", n)
	}
	if b.hash != "" {
		s += ", run " + b.hash
	}
	return s + b.trouble()
}

// trouble returns lines about errors, and about unfinished work and long waits if the program has not
// finished.
func (b *board) trouble() string {
	s := ""
	if b.broken > 0 {
		s += "\n" + b.failures()
	}
	for i, text := range b.leftOutLines() {
		if i == maxTrouble {
			s += "\n… and more"
			break
		}
		s += "\n" + text
	}
	if b.complete() {
		return s
	}
	left := maxTrouble
	for peer, module := range b.loops.Left {
		if left == 0 {
			return s + "\n… and more"
		}
		left--
		s += fmt.Sprintf("\n%s: the rounds of %s are not done", b.rows[peer].name, module)
	}
	for _, text := range b.awaited() {
		if left == 0 {
			return s + "\n… and more"
		}
		left--
		s += "\n" + text
	}
	return s
}

// awaited returns lines about what peers wait for: first the inputs that nobody gives.
func (b *board) awaited() []string {
	list := b.unasked()
	for i := range b.rows {
		r := &b.rows[i]
		for _, w := range r.waits {
			list = append(list, fmt.Sprintf("%s waits for %s", r.name, w))
		}
	}
	return list
}

// maxTrouble is the largest number of such lines.
const maxTrouble = 5

// screen shows the table on a terminal, replacing the previous one.
type screen struct {
	f     *os.File // nil without a terminal
	shown int      // lines
}

func newScreen(w io.Writer, off bool) *screen {
	f, ok := w.(*os.File)
	if !ok || off || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return &screen{}
	}
	return &screen{f: f}
}

// show redraws the table. It cuts lines at the edge of the terminal, as wrapped lines would not be
// overwritten correctly.
func (s *screen) show(b *board) {
	if s.f == nil {
		return
	}
	width, height, err := term.GetSize(int(s.f.Fd()))
	if err != nil || width < 1 {
		width, height = 80, 24
	}
	var text strings.Builder
	if s.shown > 0 {
		fmt.Fprintf(&text, "\x1b[%dA\r\x1b[J", s.shown)
	}
	lines := b.table(max(height-4, 1))
	for _, l := range lines {
		if r := []rune(l); len(r) >= width {
			l = string(r[:width-1])
		}
		text.WriteString(l + "\n")
	}
	s.shown = len(lines)
	io.WriteString(s.f, text.String())
}
