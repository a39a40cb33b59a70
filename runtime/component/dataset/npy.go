package dataset

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/npz"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// arrayNames are the names of the arrays of an archive, or of the files of a folder.
var arrayNames = []struct{ x, y, valX, valY string }{
	{"x_train", "y_train", "x_test", "y_test"},
	{"x_train", "y_train", "x_val", "y_val"},
	{"X_train", "y_train", "X_test", "y_test"},
	{"train_images", "train_labels", "test_images", "test_labels"},
	{"train_images", "train_labels", "val_images", "val_labels"},
	{"x", "y", "x_val", "y_val"},
	{"X", "y", "X_val", "y_val"},
	{"images", "labels", "val_images", "val_labels"},
	{"features", "labels", "val_features", "val_labels"},
	{"data", "target", "val_data", "val_target"},
}

// openNPZ reads an archive of arrays.
func (o *opener) openNPZ(name string) (*Set, error) {
	b, err := fs.ReadFile(o.fsys, name)
	if err != nil {
		return nil, err
	}
	arrays, err := npz.Decode(b, maxHeld)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	set, err := o.pairs(func(s string) bool { return arrays[s] != nil }, func(s string) (*tensor.Tensor, error) { return arrays[s], nil })
	if err == nil && set == nil {
		err = fmt.Errorf("no arrays x and y, x_train and y_train, images and labels, or data and target")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return set, nil
}

// openNPY reads the .npy files of a folder; nil if there are none.
func (o *opener) openNPY() (*Set, error) {
	set, err := o.pairs(
		func(name string) bool { return o.has(name + ".npy") },
		func(name string) (*tensor.Tensor, error) {
			b, err := fs.ReadFile(o.fsys, name+".npy")
			if err != nil {
				return nil, err
			}
			t, err := tensorio.DecodeNPY(b)
			if err != nil {
				return nil, fmt.Errorf("%s.npy: %w", name, err)
			}
			return t, nil
		})
	if set == nil || err != nil {
		return set, err
	}
	return set, o.readNames(set)
}

// pairs finds features and labels by their names, and those for validation. Names with validation arrays take
// precedence.
func (o *opener) pairs(has func(string) bool, read func(string) (*tensor.Tensor, error)) (*Set, error) {
	found := -1
	for i, n := range arrayNames {
		if !has(n.x) || !has(n.y) {
			continue
		}
		if has(n.valX) && has(n.valY) {
			found = i
			break
		}
		if found < 0 {
			found = i
		}
	}
	if found < 0 {
		return nil, nil
	}
	n := arrayNames[found]
	train, err := o.pair(n.x, n.y, has, read)
	if err != nil {
		return nil, err
	}
	set := &Set{Train: train}
	if has(n.valX) && has(n.valY) {
		val := *o
		val.More = slices.DeleteFunc(slices.Clone(o.More), func(c Column) bool { return c.Weights })
		set.Val, err = val.pair(n.valX, n.valY, has, read)
	}
	return set, err
}

func (o *opener) pair(x, y string, has func(string) bool, read func(string) (*tensor.Tensor, error)) (DataSource, error) {
	xs, err := read(x)
	if err != nil {
		return nil, err
	}
	ys, err := read(y)
	if err != nil {
		return nil, err
	}
	s, err := NewMemory(xs, ys, o.X, o.Y)
	if err != nil {
		return nil, fmt.Errorf("%s, %s: %w", x, y, err)
	}
	return s, o.columns(s.(*memory), x, has, read)
}

// columns reads the model's further columns from arrays with corresponding names.
func (o *opener) columns(m *memory, x string, has func(string) bool, read func(string) (*tensor.Tensor, error)) error {
	for _, c := range o.More {
		name := like(c.Name, x)
		if !has(name) && c.Weights {
			return fmt.Errorf("there is no array %s beside %s, with a weight for each example", name, x)
		}
		if !has(name) {
			return fmt.Errorf("there is no array %s, which the model reads beside %s", name, x)
		}
		t, err := read(name)
		if err != nil {
			return err
		}
		r, err := newRows(t, c.As, 1)
		if err == nil && t.Shape[0] != m.Len() {
			err = fmt.Errorf("%d rows, want %d", t.Shape[0], m.Len())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		m.more = append(m.more, r)
	}
	return nil
}
