package run

import (
	"fmt"
	"io"
	"strings"
)

// write prints the profile as a table of at most top nodes; 0 is all.
func (p *profile) write(w io.Writer, top int) {
	fmt.Fprintf(w, "%s, %s, %s: %s µs a run, %s µs of it in no node; %s µs without a profile (%d runs)\n",
		p.Name, p.Level, threads(p.Threads), decimals(p.Total), decimals(p.Other), decimals(p.Plain), p.Runs)
	fmt.Fprintf(w, "this machine: %.0f GFLOP/s in a product in L1, %.1f GB/s in a copy out of cache\n\n", p.Peak.GFLOPS, p.Peak.GBS)
	rows := [][]string{{"µs", "share", "times", "GFLOP/s", "GB/s", "of peak", "call", "node"}}
	rest := p.Nodes
	for len(rest) > 0 && (top <= 0 || len(rows) <= top) {
		rows = append(rows, rest[0].row())
		rest = rest[1:]
	}
	if len(rest) > 0 {
		sum := nodeProfile{Call: "…", Node: fmt.Sprintf("%d more", len(rest))}
		for _, n := range rest {
			sum.Time += n.Time
			sum.Share += n.Share
		}
		rows = append(rows, []string{decimals(sum.Time), percent(sum.Share), "", "", "", "", sum.Call, sum.Node})
	}
	align(w, rows, 5)
}

func threads(n int) string {
	if n == 1 {
		return "1 thread"
	}
	return fmt.Sprint(n, " threads")
}

func (n *nodeProfile) row() []string {
	of := ""
	if n.Bound != "" {
		of = fmt.Sprintf("%3.0f%% %s", 100*n.Of, n.Bound)
	}
	return []string{
		decimals(n.Time), percent(n.Share), fmt.Sprint(n.Times), decimals(n.GFLOPS), decimals(n.GBS),
		of, n.Call, n.Node,
	}
}

// decimals formats x with three significant digits, or all digits before the point.
func decimals(x float64) string {
	switch {
	case x == 0:
		return "0"
	case x < 10:
		return fmt.Sprintf("%.2f", x)
	case x < 100:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }

// align prints rows in columns, the first of which are flush right.
func align(w io.Writer, rows [][]string, right int) {
	width := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, s := range r {
			width[i] = max(width[i], len([]rune(s)))
		}
	}
	for _, r := range rows {
		var b strings.Builder
		for i, s := range r {
			if i > 0 {
				b.WriteString("  ")
			}
			fill := width[i]
			if i >= right {
				fill = -fill
			}
			fmt.Fprintf(&b, "%*s", fill, s) // counts runes, like width
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}
