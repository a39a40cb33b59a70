package dataset

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// table is a CSV file: numbers, and a column of labels, which may be words.
type table struct {
	name   string
	width  int      // columns, with the label's
	label  int      // the label's column
	header []string // nil if there is none
	x      []float32
	y      []int          // into words
	words  []string       // the labels, each once
	known  map[string]int // the inverse of words
}

// labelNames are what a label's column may be called if nothing else is said.
var labelNames = []string{"label", "class", "target", "y"}

// openCSV reads one file.
func (o *opener) openCSV(name string) (*Set, error) {
	t, err := o.readTable(name)
	if err != nil {
		return nil, err
	}
	labels, names, err := t.labels(o.Y, nil)
	if err != nil {
		return nil, err
	}
	s, err := t.source(labels, o.X, o.Y)
	return &Set{Train: s, Names: names}, err
}

// openCSVs reads train.csv and, if it is there, one for validation, or the only
// CSV file of a folder; nil if there is none.
func (o *opener) openCSVs() (*Set, error) {
	if !o.has("train.csv") {
		return o.single("*.csv", o.openCSV)
	}
	train, err := o.readTable("train.csv")
	if err != nil {
		return nil, err
	}
	labels, names, err := train.labels(o.Y, nil)
	if err != nil {
		return nil, err
	}
	set := &Set{Names: names}
	if set.Train, err = train.source(labels, o.X, o.Y); err != nil {
		return nil, err
	}
	for _, name := range []string{"val.csv", "valid.csv", "validation.csv", "test.csv"} {
		if !o.has(name) {
			continue
		}
		val, err := o.readTable(name)
		if err != nil {
			return nil, err
		}
		if labels, _, err = val.labels(o.Y, names); err != nil {
			return nil, err
		}
		set.Val, err = val.source(labels, o.X, o.Y)
		return set, err
	}
	return set, nil
}

func (o *opener) readTable(name string) (*table, error) {
	f, err := o.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.ReuseRecord = true
	r.TrimLeadingSpace = true
	if strings.HasSuffix(strings.ToLower(name), ".tsv") {
		r.Comma = '\t'
	}
	t := &table{name: name, known: map[string]int{}}
	if err := t.read(r, o.Label); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

func (t *table) read(r *csv.Reader, label string) error {
	first, err := r.Read()
	if errors.Is(err, io.EOF) {
		return errors.New("the file is empty")
	}
	if err != nil {
		return err
	}
	t.width = len(first)
	if t.width < 2 {
		return errors.New("one column, want features and a label")
	}
	if !slices.ContainsFunc(first, isNumber) {
		t.header = slices.Clone(first)
	}
	if t.label, err = t.findLabel(label); err != nil {
		return err
	}
	if t.header == nil {
		if err := t.add(r, first); err != nil {
			return err
		}
	}
	for {
		rec, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = t.add(r, rec)
		}
		if err != nil {
			return err
		}
	}
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(s), 32)
	return err == nil
}

// findLabel is the label's column: what is asked for, one that is called so, or
// the last.
func (t *table) findLabel(want string) (int, error) {
	if want == "" {
		for _, name := range labelNames {
			if i := slices.IndexFunc(t.header, func(s string) bool { return strings.EqualFold(s, name) }); i >= 0 {
				return i, nil
			}
		}
		return t.width - 1, nil
	}
	if i := slices.Index(t.header, want); i >= 0 {
		return i, nil
	}
	if i, err := strconv.Atoi(want); err == nil && i >= 1 && i <= t.width {
		return i - 1, nil
	}
	if t.header == nil {
		return 0, fmt.Errorf("there is no label column %s: there is no header, and columns are 1 to %d", want, t.width)
	}
	return 0, fmt.Errorf("there is no label column %q; there are: %s", want, strings.Join(t.header, ", "))
}

// add adds a line.
func (t *table) add(r *csv.Reader, rec []string) error {
	for i, cell := range rec {
		cell = strings.TrimSpace(cell)
		if i == t.label {
			k, ok := t.known[cell]
			if !ok {
				k = len(t.words)
				t.words = append(t.words, cell)
				t.known[cell] = k
			}
			t.y = append(t.y, k)
			continue
		}
		v, err := strconv.ParseFloat(cell, 32)
		if err != nil {
			line, _ := r.FieldPos(i)
			return fmt.Errorf("line %d: column %s is %q, want a number", line, t.column(i), cell)
		}
		t.x = append(t.x, float32(v))
	}
	return nil
}

func (t *table) column(i int) string {
	if t.header != nil {
		return strconv.Quote(t.header[i])
	}
	return strconv.Itoa(i + 1)
}

// labels are the labels as a model reads them: numbers as they are, words by
// their place in names or, without them, among all words, sorted.
func (t *table) labels(as tensor.DType, names []string) (*tensor.Tensor, []string, error) {
	if as == tensor.Float32 {
		values, err := values(t, func(s string) (float32, error) {
			v, err := strconv.ParseFloat(s, 32)
			return float32(v), err
		})
		return values, nil, err
	}
	if names == nil {
		values, err := values(t, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) })
		if err == nil {
			return values, nil, nil
		}
		names = slices.Sorted(slices.Values(t.words))
	}
	values, err := values(t, func(s string) (int64, error) {
		i, ok := slices.BinarySearch(names, s)
		if !ok {
			return 0, errors.New("not among the labels that are trained")
		}
		return int64(i), nil
	})
	return values, names, err
}

// values are the labels of t's lines through parse.
func values[T float32 | int64](t *table, parse func(string) (T, error)) (*tensor.Tensor, error) {
	words := make([]T, len(t.words))
	for i, w := range t.words {
		v, err := parse(w)
		if err != nil {
			return nil, fmt.Errorf("%s: label %q: %w", t.name, w, err)
		}
		words[i] = v
	}
	out := make([]T, len(t.y))
	for i, k := range t.y {
		out[i] = words[k]
	}
	return tensor.Of(out, len(out)), nil
}

func (t *table) source(labels *tensor.Tensor, asX, asY tensor.DType) (DataSource, error) {
	x := tensor.Of(t.x, len(t.y), t.width-1)
	s, err := NewMemory(x, labels, asX, asY)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.name, err)
	}
	return s, nil
}
