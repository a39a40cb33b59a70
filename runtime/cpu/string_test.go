package cpu

import (
	"math"
	"slices"
	"testing"
)

// TestStringSplit checks delimiters and limits.
func TestStringSplit(t *testing.T) {
	for _, c := range []struct {
		x         []string
		delimiter string
		limit     int
		want      []string
		count     []int64
	}{
		{[]string{"a b", "c"}, "", -1, []string{"a", "b", "c", ""}, []int64{2, 1}},
		{[]string{"  a \t b  ", "", " "}, "", -1, []string{"a", "b", "", "", "", ""}, []int64{2, 0, 0}},
		{[]string{" a b c "}, "", 1, []string{"a", " b c "[1:]}, []int64{2}},
		{[]string{"a,,b", ""}, ",", -1, []string{"a", "", "b", "", "", ""}, []int64{3, 1}},
		{[]string{"a--b--c"}, "--", 1, []string{"a", "b--c"}, []int64{2}},
		{[]string{"a b"}, "", 0, []string{"a b"}, []int64{1}},
		{nil, "", -1, []string{}, []int64{}},
	} {
		width := StringSplitMax(c.x, c.delimiter, c.limit)
		got, count := make([]string, width*len(c.x)), make([]int64, len(c.x))
		StringSplit(got, count, c.x, c.delimiter, c.limit, width)
		if !slices.Equal(got, c.want) || !slices.Equal(count, c.count) {
			t.Errorf("%q at %q: got %q %v, want %q %v", c.x, c.delimiter, got, count, c.want, c.count)
		}
	}
}

// TestStringNormalize checks stop words and the change of case.
func TestStringNormalize(t *testing.T) {
	x := []string{"Monday", "monday", "Ärger"}
	for _, c := range []struct {
		stop []string
		fold bool
		to   string
		want []string
	}{
		{nil, true, "UPPER", []string{"MONDAY", "MONDAY", "ÄRGER"}},
		{[]string{"monday"}, false, "LOWER", []string{"monday", "ärger"}},
		{[]string{"MONDAY"}, true, "NONE", []string{"Ärger"}},
		{x, true, "NONE", []string{""}},
	} {
		got := make([]string, StringNormalizeCount(x, c.stop, c.fold))
		StringNormalize(got, x, c.stop, c.fold, c.to)
		if !slices.Equal(got, c.want) {
			t.Errorf("without %q: got %q, want %q", c.stop, got, c.want)
		}
	}
}

// TestStringConcat checks the concatenation with broadcasting.
func TestStringConcat(t *testing.T) {
	got := make([]string, 2)
	StringConcat(got, []string{"a", "b"}, []string{"!"})
	if want := []string{"a!", "b!"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestRegexFullMatch checks that an expression must match the whole string.
func TestRegexFullMatch(t *testing.T) {
	got := make([]bool, 3)
	RegexFullMatch(got, []string{"ab", "abc", "b"}, "a|ab|b")
	if want := []bool{true, false, true}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestRegexFullMatchExtremes checks expressions whose alternatives, quantifiers, flags and quotes must not affect what a whole
// string is.
func TestRegexFullMatchExtremes(t *testing.T) {
	for _, c := range []struct {
		pattern string
		yes, no []string
	}{
		{"", []string{""}, []string{"a", "\n"}},
		{"a|ab", []string{"a", "ab"}, []string{"", "abb", "ba", "aab"}},
		{"a*?", []string{"", "a", "aaa"}, []string{"b", "ab"}},
		{"(a|ab)(c|bcd)", []string{"ac", "abc", "abcd", "abbcd"}, []string{"abcdd", "aac"}},
		{"(?m)^a$", []string{"a"}, []string{"a\n", "b\na", "a\nb"}},
		{"(?m)^a$\n^b$", []string{"a\nb"}, []string{"a\nbc", "a"}},
		{"a$", []string{"a"}, []string{"a\n"}},
		{".*", []string{"", "abc", "\xff"}, []string{"\n", "a\nb"}},
		{"(?s).*", []string{"\n", "a\nb"}, nil},
		{"(?i)straße", []string{"STRAßE", "straße", "ſtraße"}, []string{"STRASSE"}},
		{`\Qa.b`, []string{"a.b"}, []string{"axb", "a.b)"}}, // RE2 needs no \E
		{`\Qa|b\E|c`, []string{"a|b", "c"}, []string{"a", "b"}},
		{`\pL+`, []string{"äλЖ"}, []string{"a1", ""}},
		{`[^\x00-\x7f]{2}`, []string{"éé"}, []string{"é", "ééé"}},
		{`\bcom\b`, []string{"com"}, []string{"com ", "a com"}},
		{`(a*)*b`, []string{"b", "aaaaaaaaaaaaaaaaaaaaaaaaab"}, []string{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac"}},
	} {
		x := slices.Concat(c.yes, c.no)
		got := make([]bool, len(x))
		RegexFullMatch(got, x, c.pattern)
		for i, s := range x {
			if want := i < len(c.yes); got[i] != want {
				t.Errorf("%q and %q: got %v, want %v", c.pattern, s, got[i], want)
			}
		}
	}
	for _, bad := range []string{"a)|(b", "(", `a\`, "[", "*", "a**", "(?=a)", `(a)\1`} {
		if failure(func() { RegexFullMatch(make([]bool, 1), []string{"a"}, bad) }) == nil {
			t.Errorf("%q is no error", bad)
		}
	}
}

// TestTfIdf counts pairs of elements in a list.
func TestTfIdf(t *testing.T) {
	x := []int64{1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8}
	grams := []int64{2, 3, 4, 5 /* pairs: */, 5, 6, 6, 7, 7, 8}
	index := []int64{0, 1, 2, 3, 4, 5, 6}
	counts := []int{4, 3}
	for _, c := range []struct {
		min, max, skips int
		once            bool
		want            []float32
	}{
		{2, 2, 0, false, []float32{0, 0, 0, 0, 1, 1, 1}},
		{2, 2, 5, false, []float32{0, 0, 0, 0, 1, 1, 3}},
		{1, 2, 5, false, []float32{0, 3, 0, 1, 1, 1, 3}},
		{1, 2, 5, true, []float32{0, 1, 0, 1, 1, 1, 1}},
	} {
		got := make([]float32, 7)
		TfIdf(got, x, grams, index, nil, TfIdfParams{Counts: counts, Once: c.once, Rows: 1, MinLen: c.min, MaxLen: c.max, Skips: c.skips})
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: got %v", c, got)
		}
	}
	got := make([]float32, 7)
	TfIdf(got, nil, grams, index, nil, TfIdfParams{Counts: counts, Rows: 1, MinLen: 1, MaxLen: 2, Skips: math.MaxInt})
	if !slices.Equal(got, make([]float32, 7)) {
		t.Errorf("nothing gives %v", got)
	}
}
