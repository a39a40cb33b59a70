package train

import (
	"fmt"
	"maps"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// initialize sets initializers to the initial values that the file specifies for training. They are computed
// now, so that they are the same on every machine.
func initialize(m *ir.Module, t *ir.Training) error {
	if t.Init == nil {
		return nil
	}
	f := &ir.Func{Name: "main", Body: t.Init.Body}
	f.Body.Results = nil
	for _, b := range t.Inits {
		if !b.To.IsConst() {
			return fmt.Errorf("initialization_binding: %q is no initializer", b.To.Name)
		}
		f.Body.Results = append(f.Body.Results, b.From)
	}
	init := &ir.Module{Name: m.Name, File: "initialization", Opsets: maps.Clone(m.Opsets), Main: f, Funcs: m.Funcs}
	if n := len(f.Body.Params); n > 0 {
		return fmt.Errorf("initialization has %d inputs, want none", n)
	}
	if err := run(init, pass.Pipeline...); err != nil {
		return err
	}
	if err := affordable(f.Body); err != nil {
		return err
	}
	values, err := eval.Run(init.Main, nil)
	if err != nil {
		return fmt.Errorf("initialization: %w", err)
	}
	for i, b := range t.Inits {
		v, ok := values[i].(*tensor.Tensor)
		if !ok || v.String() != b.To.Const.String() {
			return fmt.Errorf("initialization_binding: %q is %s, its first value %q is %s", b.To.Name, b.To.Const, b.From.Name, values[i])
		}
		b.To.Const = v
	}
	return nil
}

// maxInitial is the largest number of elements of a value in an initialization.
const maxInitial = 1 << 30

// affordable rejects initializations with excessive memory, as their size is controlled by the file.
func affordable(r *ir.Region) error {
	for _, n := range r.Nodes {
		for _, v := range n.Out {
			if v == nil || v.Type.Kind != ir.Tensor {
				continue
			}
			if size, ok := ir.Size(v.Type.Shape).Const(); !ok || size > maxInitial {
				return fmt.Errorf("initialization: %q is %s, want at most %d elements", v.Name, v.Type, maxInitial)
			}
		}
	}
	return nil
}
