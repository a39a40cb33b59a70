package docs

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// number matches a number with its unit of time or speed.
var number = regexp.MustCompile(`-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?:(?: ?(?:ns|µs|ms|s|seconds|GFLOP/s|GB/s|MB/s)(?:\b|$))|\b)`)

// measured matches the units of numbers that vary from run to run.
var measured = regexp.MustCompile(` ?(?:ns|µs|ms|s|seconds|GFLOP/s|GB/s|MB/s)$`)

// near is the tolerance of a fraction: processors with other levels round differently.
const near = 0.05

// compare returns the first difference between output and the text of a page. A line "…" matches any lines,
// "…" in a line any text. Times may differ; fractions must agree within a twentieth; with loose all numbers
// may differ.
func compare(want, got []string, loose bool) error {
	want, got = trimmed(want), trimmed(got)
	i := 0
	for j, w := range want {
		if w == "…" {
			if j+1 == len(want) {
				return nil
			}
			for i < len(got) && !sameLine(want[j+1], got[i], loose) {
				i++
			}
			continue
		}
		if i == len(got) {
			return fmt.Errorf("the output ends before %q", w)
		}
		if !sameLine(w, got[i], loose) {
			return fmt.Errorf("the page shows %q, the output is %q", w, got[i])
		}
		i++
	}
	if i < len(got) {
		return fmt.Errorf("the page does not show %q", got[i])
	}
	return nil
}

// trimmed returns lines without trailing space and without empty ones.
func trimmed(lines []string) []string {
	var out []string
	for _, s := range lines {
		if s = strings.TrimRight(s, " \r"); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// sameLine compares the words, then the numbers.
func sameLine(want, got string, loose bool) bool {
	var pattern strings.Builder
	pattern.WriteString("^")
	for part, rest := "", strings.Join(strings.Fields(want), " "); rest != ""; {
		var found []int
		if found = number.FindStringIndex(rest); found == nil {
			found = []int{len(rest), len(rest)}
		}
		pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(rest[:found[0]]), "…", ".*"))
		if part, rest = rest[found[0]:found[1]], rest[found[1]:]; part != "" {
			pattern.WriteString("(" + number.String() + ")")
		}
	}
	m := regexp.MustCompile(pattern.String() + "$").FindStringSubmatch(strings.Join(strings.Fields(got), " "))
	if m == nil {
		return false
	}
	for i, w := range number.FindAllString(strings.Join(strings.Fields(want), " "), -1) {
		if !sameNumber(w, m[i+1], loose) {
			return false
		}
	}
	return true
}

func sameNumber(want, got string, loose bool) bool {
	if loose || measured.MatchString(want) && measured.MatchString(got) {
		return true
	}
	if !strings.Contains(want, ".") {
		return want == got
	}
	w, err1 := strconv.ParseFloat(want, 64)
	g, err2 := strconv.ParseFloat(got, 64)
	return err1 == nil && err2 == nil && math.Abs(w-g) <= near*math.Abs(w)
}
