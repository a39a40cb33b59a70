package dataset

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// feature is a column that the model reads. A categorical one becomes a column for each word: 1 if the cell is
// that word, otherwise 0.
type feature struct {
	column   int
	category bool
	words    words
}

// words lists the different words of a column, in the order of their first occurrence.
type words struct {
	list  []string
	known map[string]int // the inverse of list
}

// number returns the index of a word, and adds the word if it is new.
func (w *words) number(s string) int {
	if i, ok := w.known[s]; ok {
		return i
	}
	if w.known == nil {
		w.known = map[string]int{}
	}
	w.known[s] = len(w.list)
	w.list = append(w.list, s)
	return len(w.list) - 1
}

func (w *words) sorted() []string { return slices.Sorted(slices.Values(w.list)) }

// integers reports whether all words are whole numbers.
func (w *words) integers() bool {
	return !slices.ContainsFunc(w.list, func(s string) bool { _, err := strconv.ParseInt(s, 10, 64); return err != nil })
}

// numbers reports whether all words are finite numbers.
func (w *words) numbers() bool {
	return !slices.ContainsFunc(w.list, func(s string) bool {
		v, err := strconv.ParseFloat(s, 32)
		return err != nil || math.IsNaN(v) || math.IsInf(v, 0)
	})
}

// missing is the treatment of a line with an empty cell. The zero value reports an error.
type missing struct {
	leaveOut bool
	fill     bool
	value    float32
}

// errLeaveOut is returned for a cell whose line is skipped.
var errLeaveOut = errors.New("the line is left out")

// parseMissing parses the option for empty cells: "", "drop" or a number.
func parseMissing(s string) (missing, error) {
	switch s {
	case "":
		return missing{}, nil
	case "drop":
		return missing{leaveOut: true}, nil
	}
	v, err := strconv.ParseFloat(s, 32)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return missing{}, fmt.Errorf("--missing is %q, want drop or a number", s)
	}
	return missing{fill: true, value: float32(v)}, nil
}

// findFeatures finds the columns that the model reads: the requested ones, or all except the label's.
func (t *table) findFeatures(opt *Options) (err error) {
	if t.missing, err = parseMissing(opt.Missing); err != nil {
		return err
	}
	for _, name := range opt.Columns {
		i, err := t.find("column", name)
		if err != nil {
			return err
		}
		if i == t.label {
			return fmt.Errorf("column %s is the label, and cannot be a feature, too", t.column(i))
		}
		if slices.ContainsFunc(t.features, func(f feature) bool { return f.column == i }) {
			return fmt.Errorf("column %s is given twice", t.column(i))
		}
		t.features = append(t.features, feature{column: i})
	}
	if opt.Columns == nil && opt.Categories == nil && t.findLearned(opt.Learned) {
		return nil
	}
	for i := range t.width {
		if opt.Columns == nil && i != t.label {
			t.features = append(t.features, feature{column: i})
		}
	}
	return t.findCategories(opt.Categories)
}

// findLearned finds the columns of a trained model's features. It reports false if there is none of them.
func (t *table) findLearned(names []string) bool {
	for i, name := range t.header {
		number := slices.Contains(names, name)
		if i != t.label && (number || hasWords(names, name+"=")) {
			t.features = append(t.features, feature{column: i, category: !number})
		}
	}
	return len(t.features) > 0
}

func (t *table) findCategories(names []string) error {
	for _, name := range names {
		column, err := t.find("column", name)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(t.features, func(f feature) bool { return f.column == column })
		if i < 0 {
			return fmt.Errorf("column %s has categories, and is no feature", t.column(column))
		}
		t.features[i].category = true
	}
	return nil
}

// isNaN reports whether a cell is NaN, which Python writes for missing numbers.
func isNaN(cell string) bool { return strings.EqualFold(cell, "nan") }

// noNumber lists what programs write for a missing number: R, spreadsheets, databases and pandas. They are words
// where words are expected.
var noNumber = []string{"na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none"}

// isMissing reports whether a cell of numbers stands for a missing one.
func isMissing(cell string) bool { return slices.Contains(noNumber, strings.ToLower(cell)) }

// value returns the table's value of a cell: a number, or the index of a word, -1 for none.
func (t *table) value(f *feature, cell string) (float32, error) {
	what := "empty"
	if !f.category && isMissing(cell) {
		what, cell = cell, ""
	}
	switch {
	case cell == "" && t.missing.leaveOut:
		return 0, errLeaveOut
	case cell == "" && f.category && t.missing.fill:
		return -1, nil
	case cell == "" && t.missing.fill:
		return t.missing.value, nil
	case cell == "" && f.category:
		return 0, errors.New("is empty, want a word (--missing drop leaves such lines out)")
	case cell == "":
		return 0, fmt.Errorf("is %s, want a number (--missing drop leaves such lines out, --missing 0 takes them for 0)", what)
	case f.category:
		return float32(f.words.number(cell)), nil
	}
	v, err := strconv.ParseFloat(cell, 32)
	if math.IsInf(v, 0) {
		return 0, fmt.Errorf("is %.60q, want a finite number", cell)
	}
	if err != nil {
		name := t.columnName(f.column)
		return 0, fmt.Errorf("is %.60q, want a number (--categories %s makes a feature of each of its words, --columns chooses others%s)", cell, name, t.notes.label())
	}
	return float32(v), nil
}

// columns returns the names of the model's features, with the word for a category: "color=red". It is nil if
// the file has no header.
func (t *table) columns() []string {
	if t.header == nil {
		return nil
	}
	var names []string
	for _, f := range t.features {
		name := t.columnName(f.column)
		if !f.category {
			names = append(names, name)
			continue
		}
		for _, word := range f.words.sorted() {
			names = append(names, name+"="+word)
		}
	}
	return names
}

// setCategories restricts the categories of a table to those of another one.
func (t *table) setCategories(other *table) error {
	if len(t.features) != len(other.features) {
		return fmt.Errorf("%s: %d features, %s has %d", t.name, len(t.features), other.name, len(other.features))
	}
	for i := range t.features {
		f, want := &t.features[i], &other.features[i]
		if !f.category {
			continue
		}
		for _, word := range f.words.list {
			if _, ok := want.words.known[word]; !ok {
				return fmt.Errorf("%s: column %s is %.60q, which %s does not have", t.name, t.column(f.column), word, other.name)
			}
		}
		t.renumber(i, want.words)
	}
	return nil
}

// renumber renumbers the words of feature i according to another column.
func (t *table) renumber(i int, to words) {
	from := t.features[i].words.list
	for at := i; at < len(t.x); at += len(t.features) {
		if v := t.x[at]; v >= 0 {
			t.x[at] = float32(to.known[from[int(v)]])
		}
	}
	t.features[i].words = to
}

// spread returns the features, with a column for each word of categories. Very many words are an error.
func (t *table) spread() (*tensor.Tensor, error) {
	width := 0
	var places [][]int // of a feature's words, sorted
	for _, f := range t.features {
		place := []int{0}
		if f.category {
			place = make([]int, len(f.words.list))
			for i, word := range f.words.sorted() {
				place[f.words.known[word]] = i
			}
		}
		places = append(places, place)
		width += len(place)
	}
	if width == len(t.features) && !slices.ContainsFunc(t.features, func(f feature) bool { return f.category }) {
		return tensor.Of(t.x, len(t.y), width), nil
	}
	if err := tensor.CheckSize(tensor.Float32.Size(), []int{len(t.y), width}); err != nil {
		return nil, fmt.Errorf("%s: %d columns, one for each word of the categories: %w", t.name, width, err)
	}
	out := make([]float32, 0, len(t.y)*width)
	for row := range slices.Chunk(t.x, len(t.features)) {
		for i, v := range row {
			cells := make([]float32, len(places[i]))
			switch {
			case !t.features[i].category:
				cells[0] = v
			case v >= 0:
				cells[places[i][int(v)]] = 1
			}
			out = append(out, cells...)
		}
	}
	return tensor.Of(out, len(t.y), width), nil
}
