package onnx

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// names generates unique names.
type names struct {
	used map[string]bool
	next map[string]int // next suffix to try, by base: a file may repeat a name a million times
}

// fresh returns base, or base with a number if it is taken.
func (s *names) fresh(base string) string {
	if s.used == nil {
		s.used, s.next = map[string]bool{}, map[string]int{}
	}
	name := base
	for s.used[name] {
		s.next[base]++
		name = base + "_" + strconv.Itoa(s.next[base])
	}
	s.used[name] = true
	return name
}

// printable replaces characters that must not get into messages, comments and the text form: control
// characters and invalid UTF-8.
func printable(s string) string {
	if isPrintable(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, s)
}

func isPrintable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}
