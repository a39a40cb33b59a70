package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// FollowClasses gives labels the numbers that classes have in a list, such as that of a trained model: data that
// lack a class would number the others differently. It returns an error, and changes nothing, if a class of the
// data is not in the list. Nothing happens if the set has no names, or the list is empty.
func (s *Set) FollowClasses(names []string) error {
	if len(s.Names) == 0 || len(names) == 0 || slices.Equal(s.Names, names) {
		return nil
	}
	to := make([]int64, len(s.Names))
	for i, name := range s.Names {
		k := slices.Index(names, name)
		if _, ok := s.Train.(*text); ok && k < 0 {
			k = slices.Index(names, unknown)
		}
		if k < 0 {
			return fmt.Errorf("the data have the class %.60q, which the model does not have; its classes are: %s%s", name, firstNames(names), s.label())
		}
		to[i] = int64(k)
	}
	s.adapt(func(d DataSource) DataSource {
		if t, ok := d.(*text); ok {
			return t.renumbered(to)
		}
		return &adapted{DataSource: d, classes: to}
	})
	s.Names, s.Classes = names, len(names)
	return nil
}

// FollowColumns chooses the features of a list of columns, such as that of a trained model, in its order. It returns
// an error, and changes nothing, if the data lack a column. A word of a category ("color=red") may be lacking, as no
// example has it; one that is not in the list is an error. Nothing happens if the set has no names, or the list is empty.
func (s *Set) FollowColumns(names []string) error {
	if len(s.Columns) == 0 || len(names) == 0 || slices.Equal(s.Columns, names) {
		return nil
	}
	pick := make([]int, len(names))
	for i, name := range names {
		pick[i] = slices.Index(s.Columns, name)
		if pick[i] < 0 && !hasWords(s.Columns, name) {
			return fmt.Errorf("the data have no column %q, which the model reads; its columns are: %s; those of the data: %s", name, firstNames(names), firstNames(s.Columns))
		}
	}
	for _, c := range s.Columns {
		if !slices.Contains(names, c) && hasWords(names, c) {
			return fmt.Errorf("the data have %.60q, a word that the model does not know; its columns are: %s", c, firstNames(names))
		}
	}
	s.adapt(func(d DataSource) DataSource { return &adapted{DataSource: d, columns: pick} })
	s.Columns = names
	return nil
}

// hasWords reports whether a column is a word of a category ("color=red") of which the list has words.
func hasWords(list []string, column string) bool {
	name, _, ok := strings.Cut(column, "=")
	return ok && slices.ContainsFunc(list, func(c string) bool { return strings.HasPrefix(c, name+"=") })
}

// firstNames lists the beginnings of the first names. Those of a file that is no table may be megabytes, or what a
// terminal takes for commands.
func firstNames(names []string) string {
	const most, long = 10, 40
	var b strings.Builder
	for i, name := range names[:min(most, len(names))] {
		if i > 0 {
			b.WriteString(", ")
		}
		if q := strconv.Quote(name); len(q) != len(name)+2 {
			name = q
		}
		fmt.Fprintf(&b, "%.*s", long, name)
		if utf8.RuneCountInString(name) > long {
			b.WriteString("…")
		}
	}
	if len(names) > most {
		b.WriteString(" …")
	}
	return b.String()
}

// FirstColumns lists the first names of the features, for errors.
func (s *Set) FirstColumns() string { return firstNames(s.Columns) }

// adapt changes the sources of a set.
func (s *Set) adapt(change func(DataSource) DataSource) {
	if s.Train = change(s.Train); s.Val != nil {
		s.Val = change(s.Val)
	}
}

// adapted is a source with other numbers of classes, or other columns.
type adapted struct {
	DataSource
	classes []int64 // the new number of each class; nil: as they are
	columns []int   // the columns to take, -1 for zeros; nil: as they are
}

func (a *adapted) Features() Spec {
	f := a.DataSource.Features()
	if a.columns != nil {
		f.Shape = []int{len(a.columns)}
	}
	return f
}

func (a *adapted) Batch(indices []int, x, y *tensor.Tensor) error {
	from := x
	if a.columns != nil {
		if err := a.Features().check("features", x, len(indices)); err != nil {
			return err
		}
		from = a.DataSource.Features().Tensor(len(indices))
	}
	if err := a.DataSource.Batch(indices, from, y); err != nil {
		return err
	}
	if a.columns != nil {
		switch d := x.Data.(type) {
		case []float32:
			takeColumns(d, from.Data.([]float32), a.columns)
		case []int64:
			takeColumns(d, from.Data.([]int64), a.columns)
		}
	}
	if labels, ok := y.Data.([]int64); ok && a.classes != nil {
		renumber(labels, a.classes)
	}
	return nil
}

func (a *adapted) More() []Spec { return More(a.DataSource) }

func (a *adapted) BatchMore(indices []int, to []*tensor.Tensor) error {
	return BatchMore(a.DataSource, indices, to)
}

// takeColumns writes columns of the rows of src to dst.
func takeColumns[T float32 | int64](dst, src []T, columns []int) {
	rows := len(dst) / len(columns)
	width := len(src) / max(rows, 1)
	for r := range rows {
		for i, c := range columns {
			if dst[r*len(columns)+i] = 0; c >= 0 {
				dst[r*len(columns)+i] = src[r*width+c]
			}
		}
	}
}

// renumber gives classes their new numbers. Others, such as -1 for what has no label, remain.
func renumber[T int32 | int64](labels []T, to []int64) {
	for i, class := range labels {
		if class >= 0 && int(class) < len(to) {
			labels[i] = T(to[class])
		}
	}
}

// renumbered returns the text with other numbers of characters.
func (t *text) renumbered(to []int64) *text {
	out := &text{ids: slices.Clone(t.ids), context: t.context}
	renumber(out.ids, to)
	return out
}
