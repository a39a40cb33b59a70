package model

import (
	"fmt"
	"strconv"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// CheckInputs returns an error if the inputs of a run are wrong: their types, their fixed sizes, or different
// sizes for one name.
func CheckInputs(ports []Port, inputs []tensor.Value) error {
	sizes := map[string]int{}
	from := map[string]string{}
	for i, v := range inputs {
		p := ports[i]
		t, ok := v.(*tensor.Tensor)
		if !ok || p.Elem == tensor.Undefined {
			continue
		}
		if t.DType != p.Elem || len(t.Shape) != len(p.Dims) {
			return mismatch(p, t)
		}
		for k, n := range t.Shape {
			if want, err := strconv.Atoi(p.Dims[k]); err == nil {
				if n != want {
					return mismatch(p, t)
				}
				continue
			}
			name := p.Dims[k]
			if first, ok := from[name]; ok && sizes[name] != n {
				return fmt.Errorf("input %q: found %s for %s, but %s is %d in input %q", p.Name, tensor.TypeText(t.DType, t.Shape), p.Type, name, sizes[name], first)
			}
			if n > values.MaxEmpty && t.Len() == 0 {
				return fmt.Errorf("input %q: found %s, want at most %d along %s of a tensor without elements", p.Name, tensor.TypeText(t.DType, t.Shape), values.MaxEmpty, name)
			}
			sizes[name], from[name] = n, p.Name
		}
	}
	return nil
}

func mismatch(p Port, t *tensor.Tensor) error {
	return fmt.Errorf("input %q: found %s, want %s", p.Name, tensor.TypeText(t.DType, t.Shape), p.Type)
}
