package runtime

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// maxEmpty is how long an axis of varying size may be in a tensor without
// elements. There the data bound nothing, and the model may have other values
// along the same axis.
const maxEmpty = 1 << 16

// CheckInputs says what is wrong with the tensors among the inputs of a run:
// their types, their fixed sizes, and whether those of one name agree.
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
				return fmt.Errorf("input %q: found %s for %s, but %s is %d in input %q", p.Name, TypeText(t.DType, t.Shape), p.Type, name, sizes[name], first)
			}
			if n > maxEmpty && t.Len() == 0 {
				return fmt.Errorf("input %q: found %s, want at most %d along %s of a tensor without elements", p.Name, TypeText(t.DType, t.Shape), maxEmpty, name)
			}
			sizes[name], from[name] = n, p.Name
		}
	}
	return nil
}

func mismatch(p Port, t *tensor.Tensor) error {
	return fmt.Errorf("input %q: found %s, want %s", p.Name, TypeText(t.DType, t.Shape), p.Type)
}

// TypeText writes a type as models do: float32[1,784].
func TypeText(d tensor.DType, shape []int) string {
	s := make([]string, len(shape))
	for i, n := range shape {
		s[i] = strconv.Itoa(n)
	}
	return d.String() + "[" + strings.Join(s, ",") + "]"
}
