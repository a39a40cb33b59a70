// Package classes defines the classes of peers. A peer usually belongs to one class; a peer that runs several
// targets belongs to several. Then its class is written as their names, sorted and joined by plus signs, and
// its rank is the same in each of them.
package classes

import (
	"slices"
	"strings"
)

const classSep = "+"

// Split returns the classes to which a peer belongs.
func Split(class string) []string { return strings.Split(class, classSep) }

// Join returns the class of a peer that belongs to several classes.
func Join(classes ...string) string {
	list := slices.Clone(classes)
	slices.Sort(list)
	return strings.Join(slices.Compact(list), classSep)
}

// Is reports whether a peer of a class belongs to all classes that other names.
func Is(class, other string) bool {
	if class == other || !strings.Contains(class, classSep) {
		return class == other
	}
	for more := true; more; {
		var one string
		one, other, more = strings.Cut(other, classSep)
		if !among(class, one) {
			return false
		}
	}
	return true
}

// among reports whether a class is one of several.
func among(classes, one string) bool {
	for more := true; more; {
		var c string
		if c, classes, more = strings.Cut(classes, classSep); c == one {
			return true
		}
	}
	return false
}

// Shares reports whether peers of two classes have a class in common.
func Shares(a, b string) bool {
	return slices.ContainsFunc(Split(a), func(c string) bool { return among(b, c) })
}

// Ranks assigns ranks to the peers of a program. Counts gives the number of peers of a class. A class that it
// does not name has one peer; it has none if it is a joined class, or if a named joined class contains it. No
// two peers with a class in common have the same rank: joined classes get the first ranks.
func Ranks(classes []string, counts map[string]int) [][]int {
	order, named := make([]int, len(classes)), ""
	for i, c := range classes {
		if order[i] = i; counts[c] > 0 {
			named += classSep + c
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return len(Split(classes[j])) - len(Split(classes[i])) })
	ranks, next := make([][]int, len(classes)), map[string]int{}
	for _, i := range order {
		list := Split(classes[i])
		count, ok := counts[classes[i]]
		if !ok && len(list) == 1 && !among(named, classes[i]) {
			count = 1
		}
		for range count {
			rank := 0
			for _, c := range list {
				rank = max(rank, next[c])
			}
			for _, c := range list {
				next[c] = rank + 1
			}
			ranks[i] = append(ranks[i], rank)
		}
	}
	return ranks
}
