package dataset

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// randomText returns characters of an alphabet, the first ones more often.
func randomText(r *rand.Rand, n int) string {
	letters := []rune("eä日😀\n\x00z")
	var b strings.Builder
	for range n {
		b.WriteRune(letters[min(r.IntN(len(letters)), r.IntN(len(letters)))])
	}
	return b.String()
}

// TestAlphabet: an alphabet has the most frequent characters, sorted, and one for the others if there is no room for them.
func TestAlphabet(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		s := randomText(r, r.IntN(60))
		counts := map[string]int{}
		for _, c := range strings.Split(s, "") {
			counts[c]++
		}
		for limit := range 9 {
			got := Alphabet(s, limit)
			if limit == 0 || limit >= len(counts) {
				if want := slices.Sorted(maps.Keys(counts)); !slices.Equal(got, want) {
					t.Fatalf("%q: alphabet %q, want %q", s, got, want)
				}
				continue
			}
			if len(got) != limit || got[0] != unknown || !slices.IsSorted(got[1:]) {
				t.Fatalf("%q, at most %d: alphabet %q", s, limit, got)
			}
			for c, n := range counts {
				for _, in := range got[1:] {
					if !slices.Contains(got, c) && n > counts[in] {
						t.Fatalf("%q, at most %d: %q has %q, and lacks %q, which is more frequent", s, limit, got, in, c)
					}
				}
			}
		}
	}
}

// TestEncode: numbers of characters give the text again; those that the alphabet lacks are number 0.
func TestEncode(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		s := randomText(r, r.IntN(60))
		for limit := range 6 {
			alphabet := Alphabet(s, limit)
			ids := Encode(s, alphabet)
			if len(ids) != utf8.RuneCountInString(s) {
				t.Fatalf("%q: %d numbers", s, len(ids))
			}
			for i, c := range []rune(s) {
				if got := alphabet[ids[i]]; got != string(c) && (got != unknown || slices.Contains(alphabet, string(c))) {
					t.Fatalf("%q, %q: character %d is %q", s, alphabet, i, got)
				}
			}
		}
	}
	if got := fmt.Sprint(Encode("axb", []string{"b", "a"})); got != "[1 0 0]" {
		t.Errorf("axb of b, a is %s", got)
	}
}

// TestWindows: windows are adjacent, each label is the next character, and as many windows as have one are there.
func TestWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for context := 1; context <= 7; context++ {
		for n := range 30 {
			s := []rune(randomText(r, n))
			set, err := Text(string(s), context, 0)
			if n <= context {
				if want := fmt.Sprintf("%d characters, want more than %d", n, context); err == nil || err.Error() != want {
					t.Fatalf("%d characters in windows of %d: %v, want %s", n, context, err, want)
				}
				continue
			}
			if err != nil || set.Train.Len() != (n-1)/context {
				t.Fatalf("%d characters in windows of %d: %v, %v", n, context, set, err)
			}
			x, y := everything(t, set.Train)
			for i := range set.Train.Len() * context {
				is, next := set.Names[tensor.Data[int64](x)[i]], set.Names[tensor.Data[int64](y)[i]]
				if is != string(s[i]) || next != string(s[i+1]) {
					t.Fatalf("character %d of %q is %q, and %q follows", i, string(s), is, next)
				}
			}
		}
	}
	if set, err := Text(strings.Repeat("ab", 65), 0, 0); err != nil || set.Train.Len() != 1 || set.Train.Features().Len() != defaultContext {
		t.Errorf("windows of the usual size: %+v, %v", set, err)
	}
}

// TestTextFiles: files are joined in the order of their paths, those of another kind are left out unless all are text.
func TestTextFiles(t *testing.T) {
	fsys := files("b.txt", "2", "a/z.md", "1", "c/d/e.TXT", "3", "a/notes", "x", "z.doc", "y")
	for _, c := range []struct {
		format, open, want string
	}{
		{"", ".", "123"}, {"text", ".", "x123y"}, {"", "b.txt", "2"}, {"text", "z.doc", "y"}, {"", "c", "3"},
	} {
		opt := Options{X: tensor.Int64, Y: tensor.Int64, Shape: []int{1}, Format: c.format}
		want := fmt.Sprintf("%d characters, want more than 1", len(c.want))
		set, err := Open(fsys, c.open, opt)
		if len(c.want) == 1 {
			if err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s as %q: %v, want %s", c.open, c.format, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s as %q: %v", c.open, c.format, err)
			continue
		}
		x, y := everything(t, set.Train)
		got := set.Names[tensor.Data[int64](x)[0]]
		for _, id := range tensor.Data[int64](y) {
			got += set.Names[id]
		}
		if got != c.want {
			t.Errorf("%s as %q: %q, want %q", c.open, c.format, got, c.want)
		}
	}
	for _, shape := range [][]int{nil, {-1}, {2, 3}} { // no length is known
		_, err := Open(files("a.txt", "abc"), "a.txt", Options{X: tensor.Int64, Y: tensor.Int64, Shape: shape})
		if err == nil || err.Error() != "a.txt: 3 characters, want more than 128" {
			t.Errorf("shape %v: %v", shape, err)
		}
	}
}
