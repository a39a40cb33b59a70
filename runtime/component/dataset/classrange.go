package dataset

import (
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// labeled is a source that knows its labels without reading the features.
type labeled interface {
	eachLabels(f func(part *tensor.Tensor))
}

// LabelRange returns the smallest and the largest label of a source, without those of ignored. It returns false if there
// is none, for labels that are no integers, and for a source that would have to read its features, too.
func LabelRange(s DataSource, ignored []int) (smallest, largest int64, ok bool) {
	if s.Labels().DType != tensor.Int64 {
		return 0, 0, false
	}
	return labelRange(s, func(label int64) bool { return !slices.Contains(ignored, int(label)) })
}

// ValueRange is like [LabelRange], for labels that are float32.
func ValueRange(s DataSource) (smallest, largest float32, ok bool) {
	if s.Labels().DType != tensor.Float32 {
		return 0, 0, false
	}
	return labelRange(s, func(float32) bool { return true })
}

func labelRange[T int64 | float32](s DataSource, counts func(T) bool) (smallest, largest T, ok bool) {
	passLabels(s, func(part *tensor.Tensor) {
		for _, label := range tensor.Data[T](part) {
			if !counts(label) {
				continue
			}
			if !ok {
				smallest, largest, ok = label, label, true
			}
			smallest, largest = min(smallest, label), max(largest, label)
		}
	})
	return smallest, largest, ok
}

// eachLabels reads the labels in parts.
func (m *memory) eachLabels(f func(*tensor.Tensor)) {
	const part = 4096
	for from := 0; from < m.Len(); from += part {
		var indices []int
		for i := from; i < min(from+part, m.Len()); i++ {
			indices = append(indices, i)
		}
		labels := m.y.spec().Tensor(len(indices))
		m.y.copy(labels, indices)
		f(labels)
	}
}

// eachLabels also reads labels of the whole source that are not in the part.
func (s *subset) eachLabels(f func(*tensor.Tensor)) { passLabels(s.DataSource, f) }

func (n *normalized) eachLabels(f func(*tensor.Tensor)) { passLabels(n.DataSource, f) }

// eachLabels gives labels their new numbers.
func (a *adapted) eachLabels(f func(*tensor.Tensor)) {
	passLabels(a.DataSource, func(part *tensor.Tensor) {
		if labels, ok := part.Data.([]int64); ok && a.classes != nil {
			renumber(labels, a.classes)
		}
		f(part)
	})
}

func passLabels(s DataSource, f func(*tensor.Tensor)) {
	if l, ok := s.(labeled); ok {
		l.eachLabels(f)
	}
}
