package golden

import (
	"fmt"
	"strings"
)

// context is the number of equal lines around a change.
const context = 3

// maxTable limits the table of edits. Between longer outputs, all lines count as changed.
const maxTable = 4 << 20

// diff returns the different lines, with "-" before those of want and "+" before those of got, and a few
// equal lines around them. Each group begins with a line with @@ and the number of its first line in want.
//
// NB: quadratic in the number of lines between the first and the last change.
func diff(want, got string) string {
	var out strings.Builder
	last := 0 // lines of the script up to here are written or omitted
	script := edits(lines(want), lines(got))
	for i, e := range script {
		if e.op == ' ' {
			continue
		}
		from := max(i-context, last)
		if from > last || last == 0 {
			fmt.Fprintf(&out, "@@ line %d\n", script[from].line)
		}
		// Up to the change, then the following equal lines that are shown in any case.
		to := i + 1
		for to < len(script) && to <= i+context && script[to].op == ' ' {
			to++
		}
		for _, e := range script[from:max(to, last)] {
			fmt.Fprintf(&out, "%c %s\n", e.op, e.text)
		}
		last = max(to, last)
	}
	return out.String()
}

// An edit is a line that is kept (' '), dropped ('-') or added ('+').
type edit struct {
	op   byte
	line int // the number of this line in want, or of the next one
	text string
}

// edits returns the shortest script that converts a to b, within [maxTable].
func edits(a, b []string) []edit {
	var script []edit
	keep := func(i int) { script = append(script, edit{' ', i + 1, a[i]}) }

	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		keep(head)
		head++
	}
	enda, endb := len(a), len(b)
	for enda > head && endb > head && a[enda-1] == b[endb-1] {
		enda--
		endb--
	}
	i, j := head, head
	var common [][]int
	if (enda-head)*(endb-head) <= maxTable {
		common = lcs(a[head:enda], b[head:endb])
	}
	for i < enda || j < endb {
		switch {
		case common != nil && i < enda && j < endb && a[i] == b[j]:
			keep(i)
			i++
			j++
		case j == endb || i < enda && (common == nil || common[i-head+1][j-head] >= common[i-head][j-head+1]):
			script = append(script, edit{'-', i + 1, a[i]})
			i++
		default:
			script = append(script, edit{'+', i + 1, b[j]})
			j++
		}
	}
	for ; i < len(a); i++ {
		keep(i)
	}
	return script
}

// lcs returns at [i][j] the length of the longest common subsequence of a[i:]
// and b[j:].
func lcs(a, b []string) [][]int {
	t := make([][]int, len(a)+1)
	for i := range t {
		t[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				t[i][j] = t[i+1][j+1] + 1
			} else {
				t[i][j] = max(t[i+1][j], t[i][j+1])
			}
		}
	}
	return t
}

// lines splits a text into its lines, without their ends.
func lines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}
