package dataset

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// defaultContext is the default length of a window.
const defaultContext = 128

// unknown represents the characters that an alphabet lacks.
const unknown = "\uFFFD"

// text is a source of windows of characters: the labels of a window are its characters, shifted by one. Windows
// are adjacent.
type text struct {
	ids     []int32
	context int
}

// openTexts reads all text files of a folder and those below it, in the order
// of their paths; nil if there are none.
func (o *opener) openTexts() (*Set, error) {
	var names []string
	err := fs.WalkDir(o.fsys, ".", func(name string, d fs.DirEntry, err error) error {
		ext := strings.ToLower(path.Ext(name))
		if err == nil && !d.IsDir() && (ext == ".txt" || ext == ".md" || o.Format == "text") {
			names = append(names, name)
		}
		return err
	})
	if err != nil || len(names) == 0 {
		return nil, err
	}
	return o.openText(names)
}

// openText reads the concatenation of files as one text.
func (o *opener) openText(names []string) (*Set, error) {
	var all strings.Builder
	for _, name := range names {
		b, err := fs.ReadFile(o.fsys, name)
		if err != nil {
			return nil, err
		}
		all.Write(b)
	}
	context := 0
	if len(o.Shape) == 1 {
		context = max(o.Shape[0], 0)
	}
	if o.X != tensor.Int64 || o.Y != tensor.Int64 {
		return nil, fmt.Errorf("%s: text is numbers of characters (int64), the model's input is %v and its labels are %v", names[0], o.X, o.Y)
	}
	set, err := Text(all.String(), context, o.Classes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", names[0], err)
	}
	return set, nil
}

// Text returns a source of windows of context characters (128 if it is 0), for a model with a number of
// classes, or 0 for any. Labels are the next characters; the names of the set are the alphabet.
func Text(s string, context, classes int) (*Set, error) {
	if context == 0 {
		context = defaultContext
	}
	alphabet := Alphabet(s, classes)
	t := &text{ids: Encode(s, alphabet), context: context}
	if t.Len() == 0 {
		return nil, fmt.Errorf("%d characters, want more than %d", len(t.ids), context)
	}
	return &Set{Train: t, Names: alphabet}, nil
}

// Alphabet returns the characters of a text, sorted. If limit is positive, it returns only the most frequent
// ones, after [unicode.ReplacementChar] for the others, at most limit in total.
func Alphabet(s string, limit int) []string {
	counts := map[string]int{}
	for _, r := range s {
		counts[string(r)]++
	}
	list := make([]string, 0, len(counts))
	for c := range counts {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	short := limit > 0 && len(list) > limit
	if short {
		list = slices.DeleteFunc(list[:limit-1], func(c string) bool { return c == unknown })
	}
	slices.Sort(list)
	if short {
		list = slices.Insert(list, 0, unknown)
	}
	return list
}

// Encode returns the index of each character of a text in an alphabet, 0 for those that it lacks.
func Encode(s string, alphabet []string) []int32 {
	place := make(map[rune]int32, len(alphabet))
	for i, c := range alphabet {
		for _, r := range c {
			place[r] = int32(i)
		}
	}
	ids := make([]int32, 0, len(s))
	for _, r := range s {
		ids = append(ids, place[r])
	}
	return ids
}

func (t *text) Len() int       { return max(len(t.ids)-1, 0) / t.context }
func (t *text) Features() Spec { return Spec{tensor.Int64, []int{t.context}} }
func (t *text) Labels() Spec   { return Spec{tensor.Int64, []int{t.context}} }
func (t *text) sequential()    {}

func (t *text) Batch(indices []int, x, y *tensor.Tensor) error {
	if err := checkBatch(t, indices, x, y); err != nil {
		return err
	}
	dx, dy := tensor.Data[int64](x), tensor.Data[int64](y)
	for k, i := range indices {
		window := t.ids[i*t.context:][:t.context+1]
		for j := range t.context {
			dx[k*t.context+j] = int64(window[j])
			dy[k*t.context+j] = int64(window[j+1])
		}
	}
	return nil
}
