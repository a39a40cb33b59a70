package dataset

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// table is a CSV file: features, and a column of labels, which may be words.
type table struct {
	name       string
	width      int       // columns, including the label's
	label      int       // the label's column
	header     []string  // nil if there is none
	features   []feature // in the order of the model's inputs
	missing    missing   // the treatment of empty cells
	notes      Notes
	x          []float32 // a value for each feature and line
	y          []int     // into labelWords.words
	labelWords words
}

// byteOrderMark begins files that spreadsheets write as "CSV UTF-8". It is no part of the first column's name.
const byteOrderMark = "\ufeff"

// labelNames are the names by which a label's column is found by default.
var labelNames = []string{"label", "class", "target", "y"}

// openCSV reads one file.
func (o *opener) openCSV(name string) (*Set, error) {
	t, err := o.readTable(name, nil)
	if err != nil {
		return nil, err
	}
	labels, names, err := t.labels(o.Y, nil)
	if err != nil {
		return nil, err
	}
	s, err := t.source(labels, o.X, o.Y)
	return &Set{Train: s, Names: names, Classes: len(names), Columns: t.columns(), Notes: t.notes}, err
}

// openCSVs reads train.csv and, if it is there, one for validation, or the only
// CSV file of a folder; nil if there is none.
func (o *opener) openCSVs() (*Set, error) {
	if !o.has("train.csv") {
		return o.single("*.csv", o.openCSV)
	}
	train, err := o.readTable("train.csv", nil)
	if err != nil {
		return nil, err
	}
	labels, names, err := train.labels(o.Y, nil)
	if err != nil {
		return nil, err
	}
	set := &Set{Names: names, Classes: len(names), Columns: train.columns(), Notes: train.notes}
	if set.Train, err = train.source(labels, o.X, o.Y); err != nil {
		return nil, err
	}
	for _, name := range []string{"val.csv", "valid.csv", "validation.csv", "test.csv"} {
		if !o.has(name) {
			continue
		}
		val, err := o.readTable(name, train)
		if err != nil {
			return nil, err
		}
		if labels, err = val.labelsLike(train, o.Y, names); err != nil {
			return nil, err
		}
		if err := val.setCategories(train); err != nil {
			return nil, err
		}
		set.LeftOut += val.notes.LeftOut
		set.Val, err = val.source(labels, o.X, o.Y)
		return set, err
	}
	return set, nil
}

// readTable reads a table. Its features are in the order of those of train, unless that is nil.
func (o *opener) readTable(name string, train *table) (*table, error) {
	f, err := o.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := bufio.NewReader(f)
	if mark, _ := b.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		b.Discard(len(byteOrderMark))
	}
	r := csv.NewReader(b)
	r.ReuseRecord = true
	r.TrimLeadingSpace = true
	if strings.HasSuffix(strings.ToLower(name), ".tsv") {
		r.Comma = '\t'
	}
	t := &table{name: name}
	if err := t.read(r, &o.Options, train); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

func (t *table) read(r *csv.Reader, opt *Options, train *table) error {
	first, err := r.Read()
	if errors.Is(err, io.EOF) {
		return errors.New("the file is empty")
	}
	if err != nil {
		return err
	}
	t.width = len(first)
	if t.width < 2 || strings.ContainsRune(first[0], 0) {
		return oneColumn(first[0])
	}
	if !slices.ContainsFunc(first, isNumber) {
		for _, name := range first { // spaces around names mean as little as those around cells
			t.header = append(t.header, strings.TrimSpace(name))
		}
	}
	if t.label, err = t.findLabel(opt.Label); err != nil {
		return err
	}
	if opt.Label == "" {
		t.followLabel(train)
	}
	if err := t.findFeatures(opt); err != nil {
		return err
	}
	if err := t.followFeatures(train); err != nil {
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
		if errors.Is(err, csv.ErrFieldCount) {
			line, _ := r.FieldPos(0)
			return fmt.Errorf("line %d has %d columns, want %d", line, len(rec), t.width)
		}
		if err == nil {
			err = t.add(r, rec)
		}
		if err != nil {
			return err
		}
	}
}

// oneColumn is the error of a table whose first line is one cell.
func oneColumn(cell string) error {
	if strings.HasPrefix(cell, "\xff\xfe") || strings.HasPrefix(cell, "\xfe\xff") {
		return errors.New("the file is UTF-16, want UTF-8")
	}
	for _, separator := range []string{";", "\t", "|"} {
		if strings.Contains(cell, separator) {
			return fmt.Errorf("columns are separated by %q, want \",\", or tabs in a file whose name ends with .tsv", separator)
		}
	}
	return errors.New("one column, want features and a label")
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(s), 32)
	return err == nil
}

// findLabel returns the label's column: the requested one, one with a usual name, or the last.
func (t *table) findLabel(want string) (int, error) {
	if want == "" {
		for _, name := range labelNames {
			if i := slices.IndexFunc(t.header, func(s string) bool { return strings.EqualFold(s, name) }); i >= 0 {
				return i, nil
			}
		}
		if t.header != nil {
			t.notes.LastLabel = t.header[t.width-1]
			t.notes.LabelColumn = t.notes.LastLabel
		}
		return t.width - 1, nil
	}
	i, err := t.find("label column", want)
	if err != nil {
		return 0, err
	}
	t.notes.LabelColumn = t.columnName(i)
	if _, err := t.find("label column", t.notes.LabelColumn); err != nil { // another one has the same name
		t.notes.LabelColumn = want
	}
	return i, nil
}

// find returns the column of a name or number; what is its purpose, for errors.
func (t *table) find(what, want string) (int, error) {
	if i := slices.Index(t.header, want); i >= 0 {
		if slices.Contains(t.header[i+1:], want) {
			return 0, fmt.Errorf("%s %q stands twice in the header: give its number, from 1 to %d", what, want, t.width)
		}
		return i, nil
	}
	if i, err := strconv.Atoi(want); err == nil && i >= 1 && i <= t.width {
		return i - 1, nil
	}
	if t.header == nil {
		return 0, fmt.Errorf("there is no %s %s: there is no header, and columns are 1 to %d", what, want, t.width)
	}
	return 0, fmt.Errorf("there is no %s %q; there are: %s", what, want, firstNames(t.header))
}

// add adds a line.
func (t *table) add(r *csv.Reader, rec []string) error {
	before := len(t.x)
	for i := range t.features {
		f := &t.features[i]
		v, err := t.value(f, strings.TrimSpace(rec[f.column]))
		if errors.Is(err, errLeaveOut) {
			t.leaveOut(before)
			return nil
		}
		if err != nil {
			line, _ := r.FieldPos(f.column)
			return fmt.Errorf("line %d: column %s %w", line, t.column(f.column), err)
		}
		t.x = append(t.x, v)
	}
	label := strings.TrimSpace(rec[t.label])
	if isNaN(label) {
		label = ""
	}
	switch {
	case label == "" && t.missing.leaveOut:
		t.leaveOut(before)
		return nil
	case label == "":
		line, _ := r.FieldPos(t.label)
		return fmt.Errorf("line %d: the label, column %s, is empty (--missing drop leaves such lines out)", line, t.column(t.label))
	}
	t.y = append(t.y, t.labelWords.number(label))
	return nil
}

// leaveOut drops the line whose first cell is before.
func (t *table) leaveOut(before int) {
	t.x = t.x[:before]
	t.notes.LeftOut++
}

func (t *table) column(i int) string { return strconv.Quote(t.columnName(i)) }

// columnName returns the name in the header, or the column's number from 1.
func (t *table) columnName(i int) string {
	if t.header != nil {
		return t.header[i]
	}
	return strconv.Itoa(i + 1)
}

// labels returns the labels for a model: numbers unchanged, words as their index in names or, without names,
// among all words, sorted.
func (t *table) labels(as tensor.DType, names []string) (*tensor.Tensor, []string, error) {
	if as == tensor.Float32 {
		values, err := values(t, func(s string) (float32, error) {
			v, err := strconv.ParseFloat(s, 32)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				err = errors.New("want a finite number: the model learns values, not classes")
			}
			return float32(v), err
		})
		return values, nil, err
	}
	if names == nil {
		values, err := values(t, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) })
		if err == nil {
			return values, nil, nil
		}
		names = t.labelWords.sorted()
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

// values returns the labels of t's lines, parsed by parse.
func values[T float32 | int64](t *table, parse func(string) (T, error)) (*tensor.Tensor, error) {
	words := make([]T, len(t.labelWords.list))
	for i, w := range t.labelWords.list {
		v, err := parse(w)
		if err != nil {
			return nil, fmt.Errorf("%s: label %.60q: %w", t.name, w, err)
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
	x, err := t.spread()
	if err != nil {
		return nil, err
	}
	s, err := NewMemory(x, labels, asX, asY)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.name, err)
	}
	return s, nil
}
