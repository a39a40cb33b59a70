// Package suggest finds the intended name for a misspelled one.
package suggest

import (
	"flag"
	"fmt"
	"strings"
)

// Closest returns the name that is most similar to a word; "" if none is similar.
func Closest(word string, names []string) string {
	best, found := max(1, len(word)/3)+1, ""
	for _, name := range names {
		if d := distance(word, name); d < best {
			best, found = d, name
		}
	}
	return found
}

// distance returns the number of insertions, deletions, substitutions and transpositions of neighbors that turn
// a into b.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

// Flag adds the intended flag to an error of parsing flags, if the given one does not exist.
func Flag(err error, f *flag.FlagSet) error {
	if err == nil {
		return nil
	}
	name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !ok {
		return err
	}
	var names []string
	f.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return Unknown(name, "-", names)
}

// Unknown returns the error for a flag that does not exist. Dashes precede its name.
func Unknown(name, dashes string, names []string) error {
	if meant := Closest(name, names); meant != "" {
		return fmt.Errorf("there is no flag %s%s; did you mean %s%s?", dashes, name, dashes, meant)
	}
	return fmt.Errorf("there is no flag %s%s; -h lists all", dashes, name)
}
