package grad

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// loop describes a Loop or a Scan.
type loop struct {
	n            *ir.Node
	body         *ir.Region
	initial      []*ir.Value // of the carried values
	scanned      []*ir.Value // inputs of which the body reads slices
	params       []*ir.Value // of the carried values
	firstCarried int         // among the body's parameters
	firstSlice   int         // also among the body's parameters
	results      int         // number of the body's results before those of the carried values

	needed []int       // carried values that have a gradient
	sliced []int       // scan inputs that have a gradient
	kept   []int       // parameters of the body that the node stores
	stacks []*ir.Value // the stored values of each iteration
}

func loopOf(n *ir.Node) *loop {
	l := &loop{n: n, body: n.Region("body")}
	if n.Op == "Scan" {
		states := len(n.In) - n.Int("num_scan_inputs")
		l.initial, l.scanned = n.In[:states], n.In[states:]
	} else {
		l.initial, l.firstCarried, l.results = n.In[2:], 2, 1
	}
	l.firstSlice = l.firstCarried + len(l.initial)
	l.params = l.body.Params[l.firstCarried:l.firstSlice]
	return l
}

// needs finds the carried values and the scan inputs that have a gradient: those that have one outside, and
// carried values that depend on one after some iterations.
func (l *loop) needs(w *walk, caps []*ir.Value) error {
	xs := slices.Clone(caps)
	for i, v := range l.scanned {
		if w.need[v] && differentiable(v) {
			l.sliced = append(l.sliced, i)
			xs = append(xs, l.body.Params[l.firstSlice+i])
		}
	}
	has := make([]bool, len(l.initial))
	mark := func(k int) {
		if p := l.params[k]; !has[k] && differentiable(p) {
			has[k] = true
			xs = append(xs, p)
		}
	}
	for k, v := range l.initial {
		if w.need[v] {
			mark(k)
		}
	}
	for before := -1; before != len(xs); {
		before = len(xs)
		need, err := dependents(w.m, l.body, xs)
		if err != nil {
			return err
		}
		for k := range l.initial {
			if need[l.body.Results[l.results+k]] {
				mark(k)
			}
		}
	}
	for k, ok := range has {
		if ok {
			l.needed = append(l.needed, k)
		}
	}
	return nil
}

// remember makes the node stack the carried values at the beginning of each iteration, if the body reads
// them.
func (l *loop) remember(m *ir.Module) error {
	uses := (&ir.Func{Body: l.body}).Uses()
	for at, p := range l.body.Params[:l.firstSlice] {
		if l.results == 1 && at == 1 || len(uses[p]) == 0 {
			continue
		}
		if err := l.stack(m, at); err != nil {
			return err
		}
	}
	if len(l.kept) == 0 && len(l.scanned) == 0 { // to make the number of iterations known
		return l.stack(m, 0)
	}
	return nil
}

// stack makes a scan output of a parameter of the body.
func (l *loop) stack(m *ir.Module, at int) error {
	p := l.body.Params[at]
	if p.Type.Kind != ir.Tensor {
		return fmt.Errorf("carried value %q is %s, want a tensor", p.Name, p.Type)
	}
	for _, d := range p.Type.Shape {
		for _, s := range l.n.Syms {
			var err error
			d.Syms(func(x string) {
				if x == s {
					err = fmt.Errorf("carried value %q is %s, whose size may change from one iteration to the next", p.Name, p.Type)
				}
			})
			if err != nil {
				return err
			}
		}
	}
	b := &ir.Builder{Module: m, Infer: op.Inferrer{}, Prefix: l.n.Name + "_", Class: l.n.Class}
	trips := l.trips(m)
	l.body.Results = append(l.body.Results, b.Op("Identity", p))
	l.body.Nodes = append(l.body.Nodes, b.Nodes...)
	for len(l.n.Out) < len(l.body.Results)-1-l.results {
		l.n.Out = append(l.n.Out, nil)
	}
	v := &ir.Value{
		Name: m.FreshName(l.n.Name + "_" + p.Name + "s"), Def: l.n,
		Type: ir.TensorOf(p.Type.Elem, append([]ir.Dim{trips}, p.Type.Shape...)...),
	}
	l.n.Out = append(l.n.Out, v)
	l.kept, l.stacks = append(l.kept, at), append(l.stacks, v)
	for _, attr := range []string{"scan_output_axes", "scan_output_directions"} {
		if d, ok := l.n.Attrs.Lookup(attr).([]int64); ok {
			l.n.Attrs.Set(attr, append(append([]int64{}, d...), 0))
		}
	}
	return b.Err()
}

// trips returns the number of iterations, from the sizes of the node's inputs and outputs, or as a new symbol
// that the node binds.
func (l *loop) trips(m *ir.Module) ir.Dim {
	if len(l.scanned) > 0 {
		return l.scanned[0].Type.Shape[0]
	}
	for _, v := range l.n.Out[min(len(l.initial), len(l.n.Out)):] {
		if v != nil {
			return v.Type.Shape[0]
		}
	}
	s := m.FreshSym(l.n.Name + "_trips")
	l.n.Syms = append(l.n.Syms, s)
	return ir.Sym(s)
}
