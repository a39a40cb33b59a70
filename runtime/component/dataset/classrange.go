package dataset

import (
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// classed is a source that knows its labels without reading the features.
type classed interface {
	eachLabel(f func(label int64))
}

// LabelRange returns the smallest and the largest label of a source, without negative ones and those of ignored. It
// returns false if there is none, for labels that are no integers, and for a source that would have to read its features, too.
func LabelRange(s DataSource, ignored []int) (smallest, largest int64, ok bool) {
	c, known := s.(classed)
	if !known || s.Labels().DType != tensor.Int64 {
		return 0, 0, false
	}
	c.eachLabel(func(label int64) {
		if label < 0 || slices.Contains(ignored, int(label)) {
			return
		}
		if !ok {
			smallest, largest, ok = label, label, true
		}
		smallest, largest = min(smallest, label), max(largest, label)
	})
	return smallest, largest, ok
}

// eachLabel reads the labels in parts.
func (m *memory) eachLabel(f func(int64)) {
	const part = 4096
	for from := 0; from < m.Len(); from += part {
		var indices []int
		for i := from; i < min(from+part, m.Len()); i++ {
			indices = append(indices, i)
		}
		labels := m.y.spec().Tensor(len(indices))
		m.y.copy(labels, indices)
		for _, label := range tensor.Data[int64](labels) {
			f(label)
		}
	}
}

// eachLabel also reads labels of the whole source that are not in the part.
func (s *subset) eachLabel(f func(int64)) { passLabels(s.DataSource, f) }

func (n *normalized) eachLabel(f func(int64)) { passLabels(n.DataSource, f) }

// eachLabel gives labels their new numbers.
func (a *adapted) eachLabel(f func(int64)) {
	passLabels(a.DataSource, func(label int64) {
		one := []int64{label}
		renumber(one, a.classes)
		f(one[0])
	})
}

func passLabels(s DataSource, f func(int64)) {
	if c, ok := s.(classed); ok {
		c.eachLabel(f)
	}
}
