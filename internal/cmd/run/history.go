package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// history is the numbers that peers gave to their hosts, by execution.
type history struct {
	executions map[uint64]map[string]mean
}

// mean is the mean of the numbers of several peers.
type mean struct {
	sum float64
	n   int
}

func newHistory() *history { return &history{map[uint64]map[string]mean{}} }

// add adds a number. A nil history keeps nothing.
func (h *history) add(name string, execution uint64, x float64) {
	if h == nil {
		return
	}
	row := h.executions[execution]
	if row == nil {
		row = map[string]mean{}
		h.executions[execution] = row
	}
	m := row[name]
	row[name] = mean{m.sum + x, m.n + 1}
}

// table returns a line for each execution that gave numbers, in order. These are the rounds, if all of them did.
func (h *history) table() string {
	names := map[string]bool{}
	for _, row := range h.executions {
		for name := range row {
			names[name] = true
		}
	}
	columns := slices.Sorted(maps.Keys(names))
	var s strings.Builder
	w := tabwriter.NewWriter(&s, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(append([]string{"round", "execution"}, columns...), "\t"))
	for i, execution := range slices.Sorted(maps.Keys(h.executions)) {
		fmt.Fprintf(w, "%d\t%d", i+1, execution)
		for _, name := range columns {
			text := "-"
			if m, ok := h.executions[execution][name]; ok {
				text = number(m.sum / float64(m.n))
			}
			fmt.Fprint(w, "\t"+text)
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	return s.String()
}
