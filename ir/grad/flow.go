package grad

import (
	"fmt"
	"maps"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// flow propagates the gradients of a control flow node's outputs to its inputs and to the values that its
// regions read from outside.
func (w *walk) flow(n *ir.Node, o *op.Op, dy []*ir.Value) error {
	if o.Flow == op.Branch {
		return w.branch(n, dy)
	}
	return w.repeat(n, dy)
}

// plus returns the sum of two gradients, of which one may be missing.
func plus(b *ir.Builder, sum, d *ir.Value) *ir.Value {
	switch {
	case sum == nil:
		return d
	case d == nil:
		return sum
	}
	return b.Op("Add", sum, d)
}

// captured returns the values that the regions of n read from outside and that depend on an x: tensors, which have a
// gradient, and lists, through which none passes.
func (w *walk) captured(n *ir.Node) (xs, lists []*ir.Value) {
	for _, r := range n.Regions {
		for _, v := range r.Captures() {
			switch {
			case !w.need[v] || slices.Contains(xs, v) || slices.Contains(lists, v):
			case differentiable(v):
				xs = append(xs, v)
			default:
				lists = append(lists, v)
			}
		}
	}
	return xs, lists
}

// branch adds an If on the same condition. It computes the branches of n and their gradients.
func (w *walk) branch(n *ir.Node, dy []*ir.Value) error {
	xs, lists := w.captured(n)
	g := &ir.Node{Op: "If", Name: w.m.FreshName(w.b.Prefix + "If"), In: n.In, Class: n.Class, Pos: n.Pos}
	var each [][]*ir.Value // of each branch, the gradients of xs
	for _, r := range n.Regions {
		back := ir.CloneRegion(w.m, r, w.b.Prefix)
		in := newWalk(w.m, back, w.inner())
		for i, d := range dy {
			seed(in.b, in.grad, back.Results[i], d)
		}
		dxs, err := in.backward(slices.Concat(xs, lists))
		if err != nil {
			return err
		}
		each, g.Regions = append(each, dxs), append(g.Regions, back)
	}
	var have []*ir.Value
	for i, x := range xs {
		if slices.ContainsFunc(each, func(dxs []*ir.Value) bool { return dxs[i] != nil }) {
			have = append(have, x)
		}
	}
	if len(have) == 0 {
		return nil
	}
	for k, r := range g.Regions {
		if err := w.give(r, xs, each[k], have); err != nil {
			return err
		}
	}
	for i, v := range w.outputs(g, len(have)) {
		w.add(n, have[i], v)
	}
	return nil
}

// give makes gradients the results of a branch: of those xs that have one in any branch, zeros if not in this one.
func (w *walk) give(r *ir.Region, xs, dxs, have []*ir.Value) (err error) {
	b := w.inner()
	var out []*ir.Value
	for i, x := range xs {
		switch d := dxs[i]; {
		case !slices.Contains(have, x):
		case d == nil:
			out = append(out, op.Fill(b, x, 0))
		default:
			out = append(out, d)
		}
	}
	r.Nodes = append(r.Nodes, b.Nodes...)
	if err := b.Err(); err != nil {
		return err
	}
	r.Results, err = w.own(r, out)
	return err
}

// inner returns a builder for a region inside the current one.
func (w *walk) inner() *ir.Builder {
	return &ir.Builder{Module: w.m, Infer: op.Inferrer{}, Prefix: w.b.Prefix, Class: w.b.Class}
}

// seed adds d, unless it is nil, to the initial gradient of v.
func seed(b *ir.Builder, seeds map[*ir.Value]*ir.Value, v, d *ir.Value) {
	if d != nil && differentiable(v) {
		seeds[v] = plus(b, seeds[v], d)
	}
}

// own returns values as results of r, which may not define some of them itself.
func (w *walk) own(r *ir.Region, vs []*ir.Value) ([]*ir.Value, error) {
	b := w.inner()
	out := make([]*ir.Value, len(vs))
	for i, v := range vs {
		if v.Def == nil || slices.Contains(out[:i], v) || !slices.Contains(r.Nodes, v.Def) {
			v = b.Op("Identity", v)
		}
		out[i] = v
	}
	r.Nodes = append(r.Nodes, b.Nodes...)
	return out, b.Err()
}

// outputs adds count outputs to g.
func (w *walk) outputs(g *ir.Node, count int) []*ir.Value {
	for i := range count {
		g.Out = append(g.Out, &ir.Value{Name: w.m.FreshName(fmt.Sprintf("%s_%d", g.Name, i)), Def: g})
	}
	return w.b.Add(g)
}

// repeat adds a Scan that runs from the last iteration of n to the first. In each iteration it recomputes the
// body of n, from the carried values that n is made to store, and then these gradients:
//
//	of the carried values, which are carried in the reverse direction;
//	of values that the body reads from outside, which are summed;
//	of the slices of scan inputs, which are stacked again.
func (w *walk) repeat(n *ir.Node, dy []*ir.Value) error {
	l := loopOf(n)
	caps, lists := w.captured(n)
	if err := l.needs(w, slices.Concat(caps, lists)); err != nil {
		return err
	}
	if err := l.remember(w.m); err != nil {
		return err
	}
	g := &ir.Node{Op: "Scan", Name: w.m.FreshName(w.b.Prefix + "Scan"), Class: n.Class, Pos: n.Pos}
	back := ir.CloneRegion(w.m, l.body, w.b.Prefix)
	s := &reversal{walk: w, loop: l, node: g, body: back, inside: w.inner(), seeds: map[*ir.Value]*ir.Value{}}
	s.states(dy)
	s.slices(dy)
	if err := s.differentiate(caps, lists); err != nil || len(back.Results) == 0 {
		return err
	}
	outs := w.outputs(g, len(back.Results))
	for i, k := range l.needed {
		w.add(n, l.initial[k], outs[i])
	}
	outs = outs[len(l.needed):]
	for i, v := range s.summed {
		w.add(n, v, outs[i])
	}
	outs = outs[len(s.summed):]
	for i, k := range l.sliced {
		w.add(n, l.scanned[k], outs[i])
	}
	return nil
}

// reversal is the Scan that runs a loop backward, under construction.
type reversal struct {
	*walk
	*loop
	node          *ir.Node
	body          *ir.Region // a copy of the loop's body
	inside        *ir.Builder
	seeds         map[*ir.Value]*ir.Value
	params        []*ir.Value
	summed        []*ir.Value // values read from outside that have a gradient
	directions    []int64     // of the slices
	outDirections []int64
	stateCount    int
}

// states adds the gradients of the carried values as carried values.
func (s *reversal) states(dy []*ir.Value) {
	for _, k := range s.needed {
		init := op.Fill(s.b, s.initial[k], 0)
		if k < len(dy) && dy[k] != nil {
			init = dy[k]
		}
		p := s.param(s.loop.params[k].Type, init)
		seed(s.inside, s.seeds, s.body.Results[s.results+k], p)
	}
	s.stateCount = len(s.params)
}

// param adds a parameter to the body, with its initial value.
func (s *reversal) param(t ir.Type, from *ir.Value) *ir.Value {
	return s.insert(len(s.params), t, from)
}

// insert is [reversal.param] for a position among the parameters.
func (s *reversal) insert(at int, t ir.Type, from *ir.Value) *ir.Value {
	p := &ir.Value{Name: s.m.FreshName(s.b.Prefix + "d"), Type: t}
	s.params = slices.Insert(s.params, at, p)
	s.node.In = slices.Insert(s.node.In, at, from)
	return p
}

// slices adds the scan inputs: the values that n stores for each iteration, its slices of scan inputs, and
// those of the gradients of scan outputs.
func (s *reversal) slices(dy []*ir.Value) {
	for i, at := range s.kept {
		s.params = append(s.params, s.body.Params[at])
		s.node.In = append(s.node.In, s.stacks[i])
		s.directions = append(s.directions, 1)
	}
	for i, v := range s.scanned {
		s.params = append(s.params, s.body.Params[s.firstSlice+i])
		s.node.In = append(s.node.In, v)
		s.directions = append(s.directions, 1-direction(s.n, "scan_input_directions", i))
	}
	for k := len(s.initial); k < len(dy); k++ {
		if dy[k] == nil {
			continue
		}
		t := dy[k].Type
		p := s.param(ir.TensorOf(t.Elem, t.Shape[1:]...), dy[k])
		s.directions = append(s.directions, 1-direction(s.n, "scan_output_directions", k-len(s.initial)))
		seed(s.inside, s.seeds, s.body.Results[s.results+k], p)
	}
	s.node.Attrs.Set("num_scan_inputs", int64(len(s.node.In)-s.stateCount))
	s.node.Attrs.Set("scan_input_directions", s.directions)
}

// differentiate completes the body and makes it the node's.
func (s *reversal) differentiate(caps, lists []*ir.Value) error {
	if s.results == 1 { // a Loop: its condition was true in each iteration that ran
		yes := ir.NewConst(s.m.FreshName("true"), tensor.Of([]bool{true}))
		s.body.ReplaceAll(s.body.Params[1], yes)
	}
	var xs []*ir.Value
	for _, k := range s.needed {
		xs = append(xs, s.body.Params[s.firstCarried+k])
	}
	xs = append(xs, caps...)
	for _, k := range s.sliced {
		xs = append(xs, s.body.Params[s.firstSlice+k])
	}
	in := newWalk(s.m, s.body, s.inside)
	maps.Copy(in.grad, s.seeds)
	dxs, err := in.backward(slices.Concat(xs, lists))
	if err != nil {
		return err
	}
	b := s.walk.inner()
	results := s.gradients(b, caps, dxs)
	s.body.Nodes = append(s.body.Nodes, b.Nodes...)
	if err := b.Err(); err != nil {
		return err
	}
	s.body.Params = s.params
	if s.body.Results, err = s.own(s.body, results); err != nil {
		return err
	}
	for _, k := range s.sliced {
		s.outDirections = append(s.outDirections, 1-direction(s.n, "scan_input_directions", k))
	}
	if s.outDirections != nil {
		s.node.Attrs.Set("scan_output_directions", s.outDirections)
	}
	s.node.Regions = []*ir.Region{s.body}
	return nil
}

// gradients returns the results of the body, from the gradients of carried values, of caps and of slices. Values read from
// outside that have none in the body are left out, as those of the slices are: a sum of zeros would go on to the nodes that
// compute such a value, and 0 times the infinite derivative of one of these is not 0.
func (s *reversal) gradients(b *ir.Builder, caps, dxs []*ir.Value) []*ir.Value {
	var out []*ir.Value
	for i, d := range dxs[:len(s.needed)] {
		if d == nil { // the body may not have the carried value itself, but it has the gradient of the next one
			d = op.Fill(b, s.params[i], 0)
		}
		out = append(out, d)
	}
	dxs = dxs[len(s.needed):]
	for i, v := range caps {
		if dxs[i] != nil {
			sum := s.insert(len(out), v.Type, op.Fill(s.b, v, 0))
			out, s.summed = append(out, b.Op("Add", sum, dxs[i])), append(s.summed, v)
		}
	}
	dxs = dxs[len(caps):]
	var sliced []int
	for i, k := range s.sliced {
		if dxs[i] != nil {
			out, sliced = append(out, dxs[i]), append(sliced, k)
		}
	}
	s.sliced = sliced
	return out
}

// direction returns element i of a list of directions; 1 means backward.
func direction(n *ir.Node, attr string, i int) int64 {
	if d := n.Ints(attr); i < len(d) {
		return int64(d[i])
	}
	return 0
}
