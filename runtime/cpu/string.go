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

// StringSplitMax is the most parts that an element of x has. Without a
// delimiter the parts stand between white space. At most limit cuts are made
// in an element, if limit is not negative.
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

// StringSplit writes the parts of x[i] to row i of dst, the rest of which is
// empty, and their number to count[i]. Both may be nil.
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

// splitter cuts a string into parts.
type splitter struct {
	part      string // the current part
	rest      string
	delimiter string // empty: white space
	cuts      int    // how many more are allowed; any number if negative
	done      bool
}

// next steps to the next part, if there is one.
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

// StringNormalizeCount is how many elements of x are no stop words, and 1 if
// all are.
func StringNormalizeCount(x, stop []string, fold bool) int {
	n := 0
	for _, s := range x {
		if !isStop(s, stop, fold) {
			n++
		}
	}
	return max(n, 1)
}

// StringNormalize writes the elements of x that are no stop words, in upper or
// lower case if to says so. Nothing left gives one empty string.
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
