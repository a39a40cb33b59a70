package train

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/artifact/keys"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/random"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// findStates makes states of the initializers that training changes, before they can be folded. Floats are
// parameters, and running values of operators are statistics. At first, their next values are their current
// ones.
func findStates(m *ir.Module, opt *Options) error {
	fixed, err := m.Names(keys.Frozen)
	if err != nil {
		return err
	}
	if err := opt.checkMatches(m); err != nil {
		return err
	}
	kinds := map[*ir.Value]ir.StateKind{}
	m.Main.Body.Walk(func(n *ir.Node) {
		o := op.Lookup(n)
		if o == nil {
			return
		}
		for i, v := range n.In {
			if kind := o.StateKind(n, i); v != nil && kind != ir.Parameter {
				kinds[v] = kind
			}
		}
	})
	for _, v := range m.Main.Consts() {
		if slices.Contains(fixed, v.Name) {
			continue
		}
		kind, special := kinds[v]
		if !special && !trainable(v, opt) || kind == "" && special {
			continue
		}
		if !special {
			kind = ir.Parameter
		}
		s := &ir.State{Kind: kind, Param: v, Next: v, Init: v.Const}
		v.Const = nil
		m.Main.State = append(m.Main.State, s)
	}
	return nil
}

// checkMatches rejects patterns that match no weight, as they are probably misspelled.
func (o *Options) checkMatches(m *ir.Module) error {
	var names []string
	for _, v := range m.Main.Consts() {
		if d := v.Const.DType; d == tensor.Float32 || d == tensor.Float64 {
			names = append(names, v.Name)
		}
	}
	all := slices.Concat(o.Freeze, o.Train)
	for _, g := range o.Groups {
		all = append(all, g.Match...)
	}
	for _, p := range all {
		if !slices.ContainsFunc(names, func(name string) bool { return matches([]string{p}, name) }) {
			return fmt.Errorf("%s: pattern %q matches no weight; there are: %s", m.File, p, strings.Join(names, ", "))
		}
	}
	return nil
}

// trainable reports whether an initializer may be a parameter. Exporters write the constants of expressions
// as scalars without a module's name.
func trainable(v *ir.Value, opt *Options) bool {
	d := v.Const.DType
	switch {
	case d != tensor.Float32 && d != tensor.Float64 || matches(opt.Freeze, v.Name):
		return false
	case matches(opt.Train, v.Name):
		return true
	}
	return v.Const.Len() > 0 && (len(v.Const.Shape) > 0 || strings.Contains(v.Name, "."))
}

// statistics makes the outputs of operators the next values of running statistics.
func (s *step) statistics() error {
	next := map[*ir.Value]*ir.State{}
	for _, st := range s.m.Main.State {
		if st.Kind == ir.Statistic {
			next[st.Param] = st
		}
	}
	for _, n := range s.m.Main.Body.Nodes {
		o := op.Lookup(n)
		if o.Running == nil {
			continue
		}
		for i, v := range o.Running(s.b, n) {
			if st := next[n.In[i]]; st != nil && v != nil {
				st.Next = v
			}
		}
	}
	return s.flush()
}

// random adds a counter to operators that draw random numbers, so that each step draws different ones.
func (s *step) random() {
	s.m.Main.Body.Walk(func(n *ir.Node) {
		if !op.Lookup(n).Random {
			return
		}
		if s.drawn == nil {
			counter := s.state("random", ir.RandomCounter, ir.TensorOf(tensor.Int64), nil)
			s.m.ReadElems(counter.Param, 1)
			counter.Next = s.b.Op("Add", counter.Param, s.b.Scalar(tensor.Int64, 1))
			s.drawn = counter.Param
		}
		random.Count(n, s.drawn.ElemSyms[0])
	})
}

// inference converts a copy of the training step's forward part to inference: operators are in inference
// mode, and no state changes.
func inference(m, step *ir.Module) *ir.Module {
	m.Main.Body.Walk(func(n *ir.Node) {
		if o := op.Lookup(n); o.Inference != nil {
			o.Inference(n)
		}
	})
	kept := map[string]bool{}
	for _, st := range step.Main.State {
		kept[st.Param.Name] = true
	}
	for _, st := range slices.Clone(m.Main.State) { // settle removes elements
		if !kept[st.Param.Name] {
			settle(m, st)
		}
	}
	return m
}
