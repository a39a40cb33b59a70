package op

import "strings"

// nearest returns the most similar of names, as a suggestion for a misspelled name, or "" if none is similar.
func nearest(name string, names []string) string {
	best, least := "", len(name)/2+1
	for _, s := range names {
		d := distance(strings.ToLower(name), strings.ToLower(s))
		if d < least {
			best, least = s, d
		}
	}
	return best
}

// distance returns the edit distance of a and b: the number of insertions, deletions and replacements.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
