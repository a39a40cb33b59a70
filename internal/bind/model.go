package bind

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"

	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
)

// Model is an ONNX graph that is bound to a slot: the package of its trainer, and the methods of the type
// Slot in it.
type Model struct {
	Package string
	Methods []codegen.SlotMethod
}

// in returns the type in a slot: the author's, or that of a model.
func (c *checker) in(s *partitioner.Slot) (*types.Named, error) {
	if m := c.slots[s.Name]; m != nil {
		return m, nil
	}
	return c.component(s.Binding)
}

// typeOf returns the Go type that will be generated for a model.
func (c *checker) typeOf(m Model) (*types.Named, error) {
	base, err := c.named(pkgTrained, "Model")
	if err != nil {
		return nil, err
	}
	pkg := types.NewPackage(m.Package, path.Base(m.Package))
	fields := []*types.Var{types.NewField(token.NoPos, pkg, "Model", base, true)}
	t := types.NewNamed(types.NewTypeName(token.NoPos, pkg, "Slot", nil), types.NewStruct(fields, nil), nil)
	env, err := c.named(pkgRuntime, "Env")
	if err != nil {
		return nil, err
	}
	add := func(name string, params, results []types.Type) {
		self := types.NewVar(token.NoPos, pkg, "s", types.NewPointer(t))
		t.AddMethod(types.NewFunc(token.NoPos, pkg, name, types.NewSignatureType(self, nil, nil, tuple(pkg, params), tuple(pkg, append(results, errorType)), false)))
	}
	add("Open", []types.Type{env}, nil)
	ctx, err := c.named(pkgContext, "Context")
	if err != nil {
		return nil, err
	}
	for _, m := range m.Methods {
		params, err := c.goTypes(m.Params)
		if err != nil {
			return nil, err
		}
		results, err := c.goTypes(m.Results)
		if err != nil {
			return nil, err
		}
		for range m.Numbers {
			params = append(params, types.Typ[types.Int])
		}
		add(m.Name, append([]types.Type{ctx}, params...), results)
	}
	return t, nil
}

func tuple(pkg *types.Package, list []types.Type) *types.Tuple {
	vars := make([]*types.Var, len(list))
	for i, t := range list {
		vars[i] = types.NewParam(token.NoPos, pkg, "", t)
	}
	return types.NewTuple(vars...)
}

// goTypes returns the Go types of parameters or results.
func (c *checker) goTypes(list []codegen.SlotValue) ([]types.Type, error) {
	var out []types.Type
	for _, v := range list {
		t, err := c.goType(v.Type)
		if err != nil {
			return nil, fmt.Errorf("%q is %s: %w", v.Name, v.Type, err)
		}
		out = append(out, t)
	}
	return out, nil
}

// checkSizes compares the known sizes of a call with those of the model's inputs and outputs.
func (c *checker) checkSizes(n *ir.Node, s *partitioner.Slot, name string) {
	for _, m := range c.models[s.Name].Methods {
		if m.Name == name {
			c.fit(n, s, "is given", n.In, m.Params)
			c.fit(n, s, "is to give", n.Out, m.Results)
		}
	}
}

// fit reports values that do not match any parameter or result.
func (c *checker) fit(n *ir.Node, s *partitioner.Slot, what string, have []*ir.Value, want []codegen.SlotValue) {
	have = slices.DeleteFunc(slices.Clone(have), func(v *ir.Value) bool { return v != nil && v.Type.Equal(peer.Trigger) })
	for i, w := range want {
		if i < len(have) && have[i] != nil && !fits(have[i].Type, w.Type) {
			c.failf(n, s, "%s %s %s, but %q of %s is %s", method(n), what, have[i].Type, w.Name, s.Binding.Model, w.Type)
		}
	}
}

// fits reports whether two types may be equal at run time.
func fits(a, b ir.Type) bool {
	if !a.Ranked || !b.Ranked {
		return true
	}
	return slices.EqualFunc(a.Shape, b.Shape, func(x, y ir.Dim) bool {
		m, known := x.Const()
		n, both := y.Const()
		return !known || !both || m == n
	})
}

// Called describes the calls of a program on the model in a slot.
type Called struct {
	Loss      *ir.Node // a call with a loss, or nil
	Back      *ir.Node // a Backward, or nil
	Gradients bool     // the gradients of inputs are read
	Halves    bool     // a step is split: gradients of parameters are values
	Half      *ir.Node // half of a step

	// Inputs are the types of what each call gives the model's inputs, followed by those of other arguments. A call that
	// takes batches of a data source gives none.
	Inputs [][]ir.Type
}

// Sizes returns the sizes of the symbolic dimensions of a model's inputs that are known and the same in all calls.
func (c *Called) Sizes(params []*ir.Value) map[string]int {
	sizes, free := map[string]int{}, map[string]bool{}
	for _, in := range c.Inputs {
		for i, p := range params {
			for k, d := range p.Type.Shape {
				s, ok := d.Symbol()
				if !ok {
					continue
				}
				n, known := 0, false
				if i < len(in) && k < len(in[i].Shape) {
					n, known = in[i].Shape[k].Const()
				}
				have, again := sizes[s]
				free[s] = free[s] || !known || again && have != n
				sizes[s] = n
			}
		}
	}
	maps.DeleteFunc(sizes, func(s string, _ int) bool { return free[s] })
	return sizes
}

// inputsOf returns the types of the arguments of a call, and whether it gives the model its inputs.
func inputsOf(n *ir.Node) (in []ir.Type, ok bool) {
	use := op.ModelUseOf(n)
	for _, v := range n.In {
		if v != nil && !v.Type.Equal(peer.Trigger) {
			in = append(in, v.Type)
		}
	}
	return in, !use.Has(op.HasBackward) && !use.Has(op.TakesParameters) && (use.Has(op.HasLoss) || !use.Has(op.GivesParameters))
}

// Trains returns a call that trains the model, or nil.
func (c *Called) Trains() *ir.Node { return cmp.Or(c.Loss, c.Back, c.Half) }

// CalledOf returns the calls of a partition on the model in a slot.
func CalledOf(p *partitioner.Partition, slot string) Called {
	var out Called
	(&checker{part: p}).calls(func(n *ir.Node) {
		if n.Str(peer.SlotAttr) != slot {
			return
		}
		use := op.ModelUseOf(n)
		if in, ok := inputsOf(n); ok {
			out.Inputs = append(out.Inputs, in)
		}
		if use.Has(op.HalfStep) {
			out.Halves, out.Half = true, n
		}
		switch {
		case use.Has(op.HasBackward):
			out.Back = n
			out.Gradients = out.Gradients || slices.ContainsFunc(n.Out, func(v *ir.Value) bool { return kept(p, v) })
		case use.Has(op.HasLoss):
			out.Loss, out.Gradients = n, out.Gradients || use.Has(op.HasGradients)
		}
	})
	return out
}

// kept reports whether a value has a reader, so that it outlives the call that returns it.
func kept(p *partitioner.Partition, v *ir.Value) bool {
	return slices.ContainsFunc(p.Modules, func(m *partitioner.Module) bool { return slices.Contains(m.Fields, v) })
}
