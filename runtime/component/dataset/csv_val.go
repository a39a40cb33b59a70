package dataset

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// followLabel makes the column the label that has the name of the label of train, if both tables have names.
func (t *table) followLabel(train *table) {
	if train == nil || train.header == nil {
		return
	}
	if i := slices.Index(t.header, train.header[train.label]); i >= 0 {
		t.label = i
	}
}

// followFeatures puts the features into the order of those of train, if both tables have names: columns in another order
// would be taken for each other. Another number of features is an error of [table.setCategories].
func (t *table) followFeatures(train *table) error {
	if train == nil || train.header == nil || t.header == nil || len(t.features) != len(train.features) {
		return nil
	}
	rest := slices.Clone(t.features)
	for i, f := range train.features {
		name := train.header[f.column]
		k := slices.IndexFunc(rest, func(f feature) bool { return t.header[f.column] == name })
		if k < 0 {
			return fmt.Errorf("there is no feature %q, which %s has; there are: %s", name, train.name, firstNames(t.featureNames()))
		}
		t.features[i] = rest[k]
		rest = slices.Delete(rest, k, k+1)
	}
	return nil
}

// featureNames returns the names of the columns of features.
func (t *table) featureNames() []string {
	var names []string
	for _, f := range t.features {
		names = append(names, t.columnName(f.column))
	}
	return names
}

// labelsLike returns the labels of a table for validation. Those of train are words of names, or numbers if there are none:
// words would get numbers of their own, which are other classes.
func (t *table) labelsLike(train *table, as tensor.DType, names []string) (*tensor.Tensor, error) {
	labels, words, err := t.labels(as, names)
	if err != nil || names != nil || words == nil {
		return labels, err
	}
	i := slices.IndexFunc(words, func(s string) bool { _, err := strconv.ParseInt(s, 10, 64); return err != nil })
	return nil, fmt.Errorf("%s: label %.60q: want a whole number, as the labels of %s are", t.name, words[i], train.name)
}
