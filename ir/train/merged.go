package train

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// mergedWeights warns of parameters that an exporter has probably made of several: exporters store initializers
// with the same elements once, so that new biases and scales, all 0 or all 1, become one weight of several
// layers. Weights with other elements are not reported, as they may well be shared on purpose.
func mergedWeights(m *ir.Module) []string {
	uses := m.Main.Uses()
	var names []string
	for _, s := range m.Main.State {
		nodes := 0
		for _, u := range uses[s.Param] {
			if u.Node != nil {
				nodes++
			}
		}
		if s.Kind == ir.Parameter && nodes > 1 && uniform(s.Init) {
			names = append(names, fmt.Sprintf("%s (%d nodes)", s.Param.Name, nodes))
		}
	}
	if names == nil {
		return nil
	}
	return []string{"several nodes read each of these weights, which are trained as one: " + strings.Join(names, ", ") +
		"; if the exporter has merged equal weights, export without that (PyTorch: optimize=False)"}
}

// uniform reports whether a tensor has several elements, all of them equal.
func uniform(t *tensor.Tensor) bool {
	switch x := t.Data.(type) {
	case []float32:
		return equal(x)
	case []float64:
		return equal(x)
	}
	return false
}

func equal[T comparable](x []T) bool {
	return len(x) > 1 && !slices.ContainsFunc(x, func(v T) bool { return v != x[0] })
}
