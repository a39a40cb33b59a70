// Package classes says of which classes peers are. A peer is of one class; one that runs
// several targets is of several. Then its class is written as their names, sorted, with plus
// signs between them, and its rank is the same in each of them.
package classes

import (
	"slices"
	"strings"
)

const classSep = "+"

// Split returns the classes that a peer is of.
func Split(class string) []string { return strings.Split(class, classSep) }

// Join returns the class of a peer that is of several.
func Join(classes ...string) string {
	list := slices.Clone(classes)
	slices.Sort(list)
	return strings.Join(slices.Compact(list), classSep)
}

// Is reports whether a peer of a class is of another one, too: of all that that
// one names.
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

// Shares reports whether peers of two classes are both of some class.
func Shares(a, b string) bool {
	return slices.ContainsFunc(Split(a), func(c string) bool { return among(b, c) })
}

// Ranks gives the peers of a program their ranks. Counts says how many there are of a
// class. One that it does not name has one peer, or none if it is of several or if
// some of those that are named are of it. No two of a class have the same rank,
// whatever else they are: those of several classes have the first ones.
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
