package dataset

import (
	"errors"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Choice says which columns of a table a model reads, and what becomes of missing cells. Columns have numbers from 0.
type Choice struct {
	Label      int     // the label's column
	Features   []int   // the columns that the model reads, in its order
	Categories []bool  // for each of Features: whether each of its words becomes a feature
	Drop       bool    // a missing cell leaves its line out
	Fill       bool    // a missing cell is Value
	Value      float32 // see Fill
	Notes      Notes   // without the lines that are left out
}

// Choose chooses the columns of a table with these names, as the options of a CSV file do.
func (o *Options) Choose(header []string) (*Choice, error) {
	if len(header) < 2 {
		return nil, errors.New("one column, want features and a label")
	}
	t := &table{width: len(header), header: header}
	var err error
	if t.label, err = t.findLabel(o.Label); err != nil {
		return nil, err
	}
	if err := t.findFeatures(o); err != nil {
		return nil, err
	}
	c := &Choice{Label: t.label, Drop: t.missing.leaveOut, Fill: t.missing.fill, Value: t.missing.value, Notes: t.notes}
	for _, f := range t.features {
		c.Features, c.Categories = append(c.Features, f.column), append(c.Categories, f.category)
	}
	return c, nil
}

// Labels returns the labels of lines that are words, as indices of a list. Words that are whole numbers are those,
// others are their index in the classes. The classes are those given or, without, all words, sorted. Numbers with a
// fraction remain numbers. The name is that of the table, for errors.
func Labels(name string, list []string, lines []int, classes []string) (values *tensor.Tensor, names []string, err error) {
	t := &table{name: name, labelWords: words{list: list}, y: lines}
	if classes == nil && !t.labelWords.integers() && t.labelWords.numbers() {
		return t.labels(tensor.Float32, nil)
	}
	return t.labels(tensor.Int64, classes)
}
