package dataset

import (
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Column is a further column of examples: another input of a model, another target of its loss, or weights by which examples
// are drawn.
type Column struct {
	Name string
	As   tensor.DType // how it is read: float32 or int64

	Weights bool // it is a weight for each example to learn from; those for validation need none
}

// Wide is a [DataSource] whose examples have more columns than features and labels.
type Wide interface {
	DataSource

	// More returns the types of the further columns.
	More() []Spec

	// BatchMore writes the further columns of examples, like Batch.
	BatchMore(indices []int, to []*tensor.Tensor) error
}

// More returns the types of the further columns of a source.
func More(s DataSource) []Spec {
	if w, ok := s.(Wide); ok {
		return w.More()
	}
	return nil
}

// BatchMore writes the further columns of examples.
func BatchMore(s DataSource, indices []int, to []*tensor.Tensor) error {
	if w, ok := s.(Wide); ok {
		return w.BatchMore(indices, to)
	}
	if len(to) > 0 {
		return fmt.Errorf("dataset: examples have features and labels alone, want %d values more", len(to))
	}
	return nil
}

func (m *memory) More() []Spec {
	var out []Spec
	for i := range m.more {
		out = append(out, m.more[i].spec())
	}
	return out
}

func (m *memory) BatchMore(indices []int, to []*tensor.Tensor) error {
	if len(to) != len(m.more) {
		return fmt.Errorf("dataset: %d values beside features and labels, want %d", len(to), len(m.more))
	}
	for _, i := range indices {
		if i < 0 || i >= m.Len() {
			return fmt.Errorf("dataset: example %d of %d", i, m.Len())
		}
	}
	for i, t := range to {
		if err := m.more[i].spec().check("a value", t, len(indices)); err != nil {
			return err
		}
		m.more[i].copy(t, indices)
	}
	return nil
}

func (s *subset) More() []Spec { return More(s.DataSource) }

func (s *subset) BatchMore(indices []int, to []*tensor.Tensor) error {
	inner, err := s.inner(indices)
	if err != nil {
		return err
	}
	return BatchMore(s.DataSource, inner, to)
}

func (n *normalized) More() []Spec { return More(n.DataSource) }

func (n *normalized) BatchMore(indices []int, to []*tensor.Tensor) error {
	return BatchMore(n.DataSource, indices, to)
}

func columnNames(list []Column) string {
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

// like returns the name of the array that corresponds to another one: weight_train to x_train, val_weight to
// val_images, weight to data.
func like(name, array string) string {
	for _, part := range []string{"train", "test", "val"} {
		if strings.HasSuffix(array, "_"+part) {
			return name + "_" + part
		}
		if strings.HasPrefix(array, part+"_") {
			return part + "_" + name
		}
	}
	return name
}
