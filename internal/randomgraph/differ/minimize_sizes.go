package differ

import (
	"cmp"
	"maps"
	"slices"

	"github.com/bbgen/bbgen/internal/randomgraph"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// sizes makes axes shorter: all axes of a known size together, since operands share sizes, and the sizes of
// symbols in each run.
func (s *shrinker) sizes() (did bool) {
	for _, n := range knownSizes(s.best.Model.Module) {
		for _, to := range []int{1, 2, n / 2} {
			if to < n && s.try(func(m *randomgraph.Model) bool { return resize(m.Module, n, to) }) {
				did = true
				break
			}
		}
	}
	for i := range s.best.Model.Runs {
		for sym, n := range s.best.Model.Runs[i] {
			did = n > 1 && s.try(func(m *randomgraph.Model) bool {
				m.Runs[i] = maps.Clone(m.Runs[i])
				m.Runs[i][sym] = n / 2
				return true
			}) || did
		}
	}
	return did
}

// knownSizes returns the sizes above 1 of axes of inputs and constants, the largest first.
func knownSizes(m *ir.Module) (out []int) {
	for _, v := range append(m.Main.Consts(), m.Main.Body.Params...) {
		for _, d := range v.Type.Shape {
			if n, ok := d.Const(); ok && n > 1 && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	slices.SortFunc(out, func(a, b int) int { return cmp.Compare(b, a) })
	return out
}

// resize changes the size of each axis of n elements, and each element with the value n of tensors that may
// be shapes. It reports whether the model is still valid.
func resize(m *ir.Module, n, to int) bool {
	for _, v := range m.Main.Body.Params {
		v.Type.Shape = resized(v.Type.Shape, n, to)
	}
	for _, v := range m.Main.Consts() {
		v.Const = first(v.Const, n, to)
		v.Type.Shape = resized(v.Type.Shape, n, to)
	}
	return guarded(func() error { return pass.Run(m, pass.Until(pass.Pipeline, pass.Infer.Name), nil) }) == nil
}

func resized(shape []ir.Dim, n, to int) []ir.Dim {
	out := slices.Clone(shape)
	for i, d := range out {
		if d.Is(n) {
			out[i] = ir.C(to)
		}
	}
	return out
}

// first returns the first elements of t along each axis of n elements.
func first(t *tensor.Tensor, n, to int) *tensor.Tensor {
	shape := slices.Clone(t.Shape)
	for i, d := range shape {
		if d == n {
			shape[i] = to
		}
	}
	out := tensor.New(t.DType, shape...)
	for i := range out.Len() {
		from, rest, step := 0, i, 1
		for axis := len(shape) - 1; axis >= 0; axis-- {
			from += rest % shape[axis] * step
			rest /= shape[axis]
			step *= t.Shape[axis]
		}
		out.SetItem(i, t.Item(from))
	}
	if d, ok := out.Data.([]int64); ok && len(shape) == 1 {
		for i, x := range d {
			if x == int64(n) {
				d[i] = int64(to)
			}
		}
	}
	return out
}
