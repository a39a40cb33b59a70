package cpu

import (
	"slices"
	"strings"
	"unicode"
)

// StringConcat is
//
//	for i := range dst {
//		dst[i] = a[i] + b[i]
//	}
//
// where an operand of one element stands for all.
func StringConcat(dst, a, b []string) {
	for i := range dst {
		dst[i] = a[min(i, len(a)-1)] + b[min(i, len(b)-1)]
	}
}

// StringSplitMax returns the maximum number of parts of an element of x. Without a delimiter the parts are
// separated by white space. If limit is not negative, each element is split at most limit times.
func StringSplitMax(x []string, delimiter string, limit int) int {
	most := 0
	for _, s := range x {
		n := 0
		for it := (splitter{rest: s, delimiter: delimiter, cuts: limit}); it.next(); {
			n++
		}
		most = max(most, n)
	}
	return most
}

// StringSplit writes the parts of x[i] to row i of dst, filled with empty strings, and their number to
// count[i]. Both may be nil.
func StringSplit(dst []string, count []int64, x []string, delimiter string, limit, width int) {
	for i, s := range x {
		n := 0
		for it := (splitter{rest: s, delimiter: delimiter, cuts: limit}); it.next(); n++ {
			if dst != nil {
				dst[i*width+n] = it.part
			}
		}
		if dst != nil {
			clear(dst[i*width+n : (i+1)*width])
		}
		if count != nil {
			count[i] = int64(n)
		}
	}
}

// splitter splits a string into parts.
type splitter struct {
	part      string // the current part
	rest      string
	delimiter string // empty: white space
	cuts      int    // the number of splits that are left; unlimited if negative
	done      bool
}

// next goes to the next part and reports whether there is one.
func (s *splitter) next() bool {
	var at int
	n := len(s.delimiter)
	if n == 0 {
		s.rest = strings.TrimLeftFunc(s.rest, unicode.IsSpace)
		s.done = s.done || s.rest == ""
		at = strings.IndexFunc(s.rest, unicode.IsSpace)
	} else {
		at = strings.Index(s.rest, s.delimiter)
	}
	if s.done {
		return false
	}
	if at < 0 || s.cuts == 0 {
		s.part, s.rest, s.done = s.rest, "", true
		return true
	}
	s.part, s.rest = s.rest[:at], s.rest[at+n:]
	s.cuts--
	return true
}

// StringNormalizeCount returns the number of elements of x that are not stop words, and 1 if all are.
func StringNormalizeCount(x, stop []string, fold bool) int {
	n := 0
	for _, s := range x {
		if !isStop(s, stop, fold) {
			n++
		}
	}
	return max(n, 1)
}

// StringNormalize writes the elements of x that are not stop words, in upper or lower case according to to.
// If there are none it writes one empty string.
func StringNormalize(dst, x, stop []string, fold bool, to string) {
	n := 0
	for _, s := range x {
		if isStop(s, stop, fold) {
			continue
		}
		switch to {
		case "LOWER":
			s = strings.ToLower(s)
		case "UPPER":
			s = strings.ToUpper(s)
		}
		dst[n] = s
		n++
	}
	clear(dst[n:])
}

func isStop(s string, stop []string, fold bool) bool {
	if !fold {
		return slices.Contains(stop, s)
	}
	return slices.ContainsFunc(stop, func(w string) bool { return strings.EqualFold(s, w) })
}
