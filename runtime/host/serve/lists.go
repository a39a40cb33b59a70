package serve

import (
	"fmt"
	"strings"
)

// maxRank is the maximum depth of nested lists.
const maxRank = 64

// lists walks nested lists of JSON of any depth.
//
// Invariant: rest begins with the rest of a valid JSON value.
type lists struct {
	rest  string
	shape []int // of the lists so far; unknown before the end of the first one
	leaf  bool  // an element was found, so lists cannot nest deeper
	n     int   // elements so far
	take  func(element string) error
}

const unknown = -1

// walkLists calls take for each element of a JSON value, which is an element or nested lists, and returns the
// shape. Lists of the same depth must have the same length.
func walkLists(raw string, take func(element string) error) (shape []int, err error) {
	w := &lists{rest: raw, shape: []int{}, take: take}
	if err := w.value(0); err != nil {
		return nil, err
	}
	return w.shape, nil
}

// value walks the present value, at a depth of nested lists.
func (w *lists) value(depth int) error {
	w.space()
	if w.rest[0] == '[' {
		return w.list(depth)
	}
	if depth != len(w.shape) {
		return fmt.Errorf("element %d stands %d lists deep, want %d", w.n, depth, len(w.shape))
	}
	if w.rest[0] == '{' {
		return fmt.Errorf("element %d is an object, want a number or a list", w.n)
	}
	w.leaf = true
	end := elementEnd(w.rest)
	element := w.rest[:end]
	w.rest = w.rest[end:]
	if err := w.take(element); err != nil {
		return fmt.Errorf("element %d is %.40s, want %w", w.n, element, err)
	}
	w.n++
	return nil
}

func (w *lists) list(depth int) error {
	if depth == len(w.shape) {
		if w.leaf {
			return fmt.Errorf("element %d is a list, want a number", w.n)
		}
		if depth == maxRank {
			return fmt.Errorf("lists are nested more than %d deep", maxRank)
		}
		w.shape = append(w.shape, unknown)
	}
	w.rest = w.rest[1:] // [
	n := 0
	for w.space(); w.rest[0] != ']'; w.space() {
		if w.rest[0] == ',' {
			w.rest = w.rest[1:]
		}
		if err := w.value(depth + 1); err != nil {
			return err
		}
		n++
	}
	w.rest = w.rest[1:] // ]
	if want := w.shape[depth]; want != unknown && n != want {
		return fmt.Errorf("a list that ends before element %d has length %d, want %d as the first at its depth", w.n, n, want)
	}
	w.shape[depth] = n
	return nil
}

func (w *lists) space() {
	for len(w.rest) > 0 && strings.IndexByte(" \t\r\n", w.rest[0]) >= 0 {
		w.rest = w.rest[1:]
	}
}

// elementEnd returns the length of the string, number or word at the beginning of s.
func elementEnd(s string) int {
	if s[0] == '"' {
		i := 1
		for s[i] != '"' {
			if s[i] == '\\' {
				i++
			}
			i++
		}
		return i + 1
	}
	if i := strings.IndexAny(s, ",] \t\r\n"); i >= 0 {
		return i
	}
	return len(s)
}
