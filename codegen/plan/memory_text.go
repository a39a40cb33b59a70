package plan

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// String returns the report as text.
func (m *Memory) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "arena  %d bytes\n", m.Arena)
	if m.Peak.Step > 0 {
		fmt.Fprintf(&b, "peak   %d bytes at step %d of %d", m.Peak.Bytes, m.Peak.Step, m.Steps)
		if m.Peak.Node != "" {
			fmt.Fprintf(&b, ": %s", m.Peak.Node)
		}
		b.WriteString("\n\nlive at the peak\n")
		w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
		for _, x := range m.Peak.Live {
			fmt.Fprintf(w, "  %d\t%s\t%s\tsteps %d to %d\n", x.Bytes, x.Name, x.Type, x.From, x.To)
		}
		w.Flush()
	}
	b.WriteString("\nplaces\n")
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	for _, t := range m.Places {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", t.Place, plural(t.Values, "value"), t.size())
	}
	w.Flush()
	return b.String()
}

// size returns the text for the size of a place.
func (t Total) size() string {
	switch {
	case t.Place == "input" || t.Place == "output":
		return "the caller's"
	case t.Buffers > 0:
		return plural(t.Buffers, "buffer") + ", as large as the sizes of the run make it"
	}
	return plural(t.Bytes, "byte")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
