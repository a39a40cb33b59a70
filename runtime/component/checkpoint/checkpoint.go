// Package checkpoint saves the state of a training, and loads it.
package checkpoint

import (
	"fmt"
	"io"
	"slices"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/safetensors"
)

// Save writes the variables in the format safetensors.
func Save(w io.Writer, vars []model.Variable) error {
	if err := checkKept(vars); err != nil {
		return err
	}
	f := safetensors.File{Tensors: map[string]*tensor.Tensor{}}
	for _, v := range vars {
		f.Tensors[v.Name] = v.Value
	}
	_, err := f.WriteTo(w)
	return err
}

// Load reads variables that [Save] has written into existing tensors. These remain unchanged unless the file
// has exactly the same variables.
func Load(r io.Reader, vars []model.Variable) error {
	if err := checkKept(vars); err != nil {
		return err
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	f, err := safetensors.Decode(b)
	if err != nil {
		return err
	}
	for _, v := range vars {
		t := f.Tensors[v.Name]
		if t == nil {
			return fmt.Errorf("%q is not in the checkpoint", v.Name)
		}
		if t.DType != v.Value.DType || !slices.Equal(t.Shape, v.Value.Shape) {
			return fmt.Errorf("%q is %s in the checkpoint, want %s", v.Name, t, v.Value)
		}
	}
	if len(f.Tensors) != len(vars) {
		return fmt.Errorf("the checkpoint has %d variables, want %d: it belongs to another trainer", len(f.Tensors), len(vars))
	}
	for _, v := range vars {
		copy(v.Value.Bytes(), f.Tensors[v.Name].Bytes())
	}
	return nil
}

// checkKept returns an error if a trainer does not keep a variable, or keeps a part of it. What belongs to a weight has
// its size.
func checkKept(vars []model.Variable) error {
	sizes := map[string]int{}
	for _, w := range vars {
		if w.Kind == model.Weight && w.Value != nil {
			sizes[w.Name] = w.Value.Len()
		}
	}
	for _, v := range vars {
		if n, ok := sizes[v.Of]; v.Value == nil || ok && v.Value.Len() != n {
			return fmt.Errorf("%q is not kept by this trainer, want the whole state: keep that of %q, too", v.Name, v.Of)
		}
	}
	return nil
}
