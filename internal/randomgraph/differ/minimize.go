package differ

import (
	"slices"

	"github.com/bbgen/bbgen/internal/randomgraph"
	"github.com/bbgen/bbgen/ir"
)

// Minimize reduces the model of a failure: it removes runs, outputs and nodes, and shortens axes, as long as
// find finds the same failure. It calls find at most limit times.
func Minimize(f *Failure, limit int, find func(m *randomgraph.Model) *Failure) *Failure {
	s := &shrinker{best: f, left: limit, find: find}
	for again := true; again && s.left > 0; {
		again = s.runs() || s.results() || s.nodes() || s.sizes()
	}
	return s.best
}

// shrinker makes the model of a failure smaller, step by step.
type shrinker struct {
	best *Failure
	left int
	find func(m *randomgraph.Model) *Failure
}

// try replaces the model by a copy with a change, if that fails in the same way.
func (s *shrinker) try(change func(m *randomgraph.Model) bool) bool {
	if s.left == 0 {
		return false
	}
	m := *s.best.Model
	m.Runs = slices.Clone(m.Runs)
	m.Module = m.Module.Clone()
	if !change(&m) {
		return false
	}
	clean(m.Module)
	s.left--
	if f := s.find(&m); s.best.Same(f) {
		s.best = f
		return true
	}
	return false
}

// runs removes runs.
func (s *shrinker) runs() (did bool) {
	for i := len(s.best.Model.Runs) - 1; i >= 0; i-- {
		did = s.try(func(m *randomgraph.Model) bool {
			m.Runs = slices.Delete(m.Runs, i, i+1)
			return len(m.Runs) > 0
		}) || did
	}
	return did
}

// results removes outputs.
func (s *shrinker) results() (did bool) {
	for i := len(s.best.Model.Module.Main.Body.Results) - 1; i >= 0; i-- {
		did = s.try(func(m *randomgraph.Model) bool {
			b := m.Module.Main.Body
			b.Results = slices.Delete(b.Results, i, i+1)
			return len(b.Results) > 0
		}) || did
	}
	return did
}

// nodes replaces the results of nodes by an operand of the same type or by a new input, from the last node to
// the first.
func (s *shrinker) nodes() (did bool) {
	for i := len(s.best.Model.Module.Main.Body.Nodes) - 1; i >= 0; i-- {
		if i >= len(s.best.Model.Module.Main.Body.Nodes) {
			continue // the last change has removed several
		}
		for k := range s.best.Model.Module.Main.Body.Nodes[i].In {
			did = s.try(func(m *randomgraph.Model) bool { return bypass(m.Module, i, k) }) || did
			if i >= len(s.best.Model.Module.Main.Body.Nodes) || k+1 >= len(s.best.Model.Module.Main.Body.Nodes[i].In) {
				break
			}
		}
		if i < len(s.best.Model.Module.Main.Body.Nodes) {
			did = s.try(func(m *randomgraph.Model) bool { return cut(m.Module, i) }) || did
		}
	}
	return did
}

// bypass replaces the only output of node i by its operand k.
func bypass(m *ir.Module, i, k int) bool {
	n := m.Main.Body.Nodes[i]
	if len(n.Out) != 1 || k >= len(n.In) || n.In[k] == nil || !n.In[k].Type.Equal(n.Out[0].Type) {
		return false
	}
	m.Main.Replace(map[*ir.Value]*ir.Value{n.Out[0]: n.In[k]})
	return true
}

// cut replaces the outputs of node i by inputs.
func cut(m *ir.Module, i int) bool {
	body := m.Main.Body
	for _, v := range body.Nodes[i].Out {
		for _, d := range v.Type.Shape {
			known := true
			d.Syms(func(s string) { known = known && (s == "n" || s == "m") })
			if _, one := d.Symbol(); !known || !one && !isConst(d) {
				return false
			}
		}
	}
	by := map[*ir.Value]*ir.Value{}
	for _, v := range body.Nodes[i].Out {
		p := &ir.Value{Name: m.FreshName("cut"), Type: v.Type}
		by[v] = p
		body.Params = append(body.Params, p)
	}
	m.Main.Replace(by)
	return true
}

func isConst(d ir.Dim) bool {
	_, ok := d.Const()
	return ok
}

// clean removes nodes and inputs that are not read.
func clean(m *ir.Module) {
	body := m.Main.Body
	for {
		uses := m.Main.Uses()
		read := func(v *ir.Value) bool { return v != nil && (len(uses[v]) > 0 || slices.Contains(body.Results, v)) }
		n := len(body.Nodes)
		body.Nodes = slices.DeleteFunc(body.Nodes, func(n *ir.Node) bool { return !slices.ContainsFunc(n.Out, read) })
		if len(body.Nodes) == n {
			body.Params = slices.DeleteFunc(body.Params, func(v *ir.Value) bool { return !read(v) })
			return
		}
	}
}
