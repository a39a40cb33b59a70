package pass

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// declared holds the types that a file declares for the outputs of its graph. Inference overrides them.
type declared []ir.Type

func declaredOf(m *ir.Module) (d declared) {
	for _, v := range m.Main.Body.Results {
		d = append(d, v.Type)
	}
	return d
}

// check compares the declared types with the inferred ones. If the elements have another type, it returns an
// error, as no reader of the file would get what it expects. Other shapes are only worth a warning, as in ONNX
// Runtime: tools that change a model often leave the old ones, and nothing depends on them.
func (d declared) check(m *ir.Module) (warnings []string, err error) {
	for i, v := range m.Main.Body.Results {
		want, got := d[i], v.Type
		if want.Kind != ir.Tensor || got.Kind != ir.Tensor || want.Elem == tensor.Undefined {
			continue
		}
		text := fmt.Sprintf("output %q is declared as %s, and its nodes compute %s", v.Name, want, got)
		switch {
		case want.Elem != got.Elem:
			return nil, fmt.Errorf("%s: %s: correct the declaration, or add a Cast", m.File, text)
		case !mayBe(want, got):
			warnings = append(warnings, text)
		}
	}
	return warnings, nil
}

// mayBe reports whether two tensor types have equal shapes for some sizes.
func mayBe(a, b ir.Type) bool {
	if !a.Ranked || !b.Ranked {
		return true
	}
	if len(a.Shape) != len(b.Shape) {
		return false
	}
	for i, x := range a.Shape {
		x, xok := x.Const()
		y, yok := b.Shape[i].Const()
		if xok && yok && x != y {
			return false
		}
	}
	return true
}
