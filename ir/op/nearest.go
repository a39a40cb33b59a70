package op

import "strings"

// nearest returns the one of names that somebody who wrote name most likely meant, "" if
// none is near.
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

// distance returns how many letters are inserted, deleted or replaced to make b of a.
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
