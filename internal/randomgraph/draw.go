package randomgraph

import (
	"math/rand/v2"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	_ "github.com/bbgen/bbgen/ir/op/all" // the table
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Model is a random model.
type Model struct {
	Seed   uint64
	Module *ir.Module
	Runs   []Run
	Data   Data
}

// Draw draws the model of a seed.
func Draw(seed uint64) *Model {
	d := newDrawer(seed)
	for len(d.vals) < 1+d.rng.IntN(2) {
		d.attempt(func(d *drawer) { d.input(d.dtype(), d.shape()) })
	}
	for range 2 + d.rng.IntN(16) {
		d.family()
	}
	d.results()
	return &Model{Seed: seed, Module: d.m, Runs: d.runs(), Data: d.data()}
}

// drawer draws one model.
type drawer struct {
	rng    *rand.Rand
	m      *ir.Module
	nodes  []*ir.Node  // of the present region
	vals   []*ir.Value // the values that its nodes may read
	main   float64     // the probability that a value is float32
	depth  int         // the number of nested regions
	static bool        // all sizes are known
}

func newDrawer(seed uint64) *drawer {
	rng := rand.New(rand.NewPCG(seed, 2))
	m := &ir.Module{Name: "random", File: "random", Opsets: map[string]int{"": 25}, Main: &ir.Func{Name: "main", Body: &ir.Region{}}}
	return &drawer{rng: rng, m: m, main: 0.8, static: rng.IntN(3) == 0}
}

// misfit is the panic of a family without suitable operands.
type misfit struct{}

// attempt lets a family add nodes, and removes them if the family panics with a misfit.
func (d *drawer) attempt(draw func(d *drawer)) {
	nodes, vals, inputs := len(d.nodes), len(d.vals), len(d.m.Main.Body.Params)
	defer func() {
		switch r := recover(); r.(type) {
		case nil:
			d.forget(vals)
		case misfit:
			d.nodes, d.vals, d.m.Main.Body.Params = d.nodes[:nodes], d.vals[:vals], d.m.Main.Body.Params[:inputs]
		default:
			panic(r)
		}
	}()
	draw(d)
}

// family lets one family add nodes.
func (d *drawer) family() {
	total := 0
	for _, f := range families {
		total += f.weight
	}
	k := d.rng.IntN(total)
	for _, f := range families {
		if k -= f.weight; k < 0 {
			d.attempt(f.draw)
			return
		}
	}
}

// forget hides most inner values of the last family from later nodes. So most patterns can be fused, and some
// values have another reader, which prevents it.
func (d *drawer) forget(from int) {
	kept := d.vals[:from]
	for i, v := range d.vals[from:] {
		if v.Def == nil || from+i == len(d.vals)-1 || d.chance(6) {
			kept = append(kept, v)
		}
	}
	d.vals = kept
}

// family is a way to add nodes.
type family struct {
	weight int
	draw   func(d *drawer)
}

var families []family

func init() {
	families = []family{
		{20, (*drawer).tabled},
		{14, (*drawer).elementwise},
		{10, (*drawer).product},
		{8, (*drawer).convolution},
		{5, (*drawer).pooling},
		{9, (*drawer).activation},
		{6, (*drawer).norm},
		{6, (*drawer).softmax},
		{5, (*drawer).attention},
		{3, (*drawer).recurrent},
		{8, (*drawer).quantized},
		{6, (*drawer).reduction},
		{20, (*drawer).movement},
		{6, (*drawer).indexing},
		{6, (*drawer).flow},
	}
}

// results chooses the outputs: the last value, and others from anywhere.
func (d *drawer) results() {
	body := d.m.Main.Body
	body.Nodes = d.nodes
	var ok []*ir.Value
	for _, v := range d.vals {
		if v.Type.Kind == ir.Tensor && v.Type.Known() {
			ok = append(ok, v)
		}
	}
	body.Results = append(body.Results, ok[len(ok)-1])
	for range d.rng.IntN(4) {
		body.Results = append(body.Results, ok[d.rng.IntN(len(ok))])
	}
}

// add adds a node and its outputs. It panics with a misfit if inference fails.
func (d *drawer) add(n *ir.Node) []*ir.Value {
	n.Name = d.m.FreshName(n.Op)
	for i := range n.Out {
		name := n.Name
		if i > 0 {
			name = d.m.FreshName(n.Name + "_out")
		}
		n.Out[i] = &ir.Value{Name: name, Def: n}
	}
	if err := (op.Inferrer{}).Infer(d.m, n); err != nil {
		panic(misfit{})
	}
	for _, v := range n.Out {
		if v.Type.Kind != ir.Tensor || !v.Type.Known() || tooLarge(v) || d.sizedByData(v) {
			panic(misfit{})
		}
	}
	d.nodes = append(d.nodes, n)
	d.vals = append(d.vals, n.Out...)
	return n.Out
}

// maxElements bounds tensors of known size.
const maxElements = 1 << 14

func tooLarge(v *ir.Value) bool {
	n := 1
	for _, s := range v.Type.Shape {
		if k, ok := s.Eval(func(string) (int, bool) { return largest, true }); ok {
			n *= k
		}
	}
	return n > maxElements
}

// sizedByData reports whether the shape of v depends on elements of tensors. Random elements would cause
// values of any size.
func (d *drawer) sizedByData(v *ir.Value) bool {
	return slices.ContainsFunc(v.Type.Shape, d.m.FromData)
}

// op adds a node of one output.
func (d *drawer) op(name string, in ...*ir.Value) *ir.Value { return d.opA(name, nil, in...) }

// opA returns op with attributes.
func (d *drawer) opA(name string, attrs ir.Attrs, in ...*ir.Value) *ir.Value {
	return d.opN("", name, 1, attrs, in...)[0]
}

// opN adds a node of n outputs.
func (d *drawer) opN(domain, name string, n int, attrs ir.Attrs, in ...*ir.Value) []*ir.Value {
	node := &ir.Node{Domain: domain, Op: name, In: in, Out: make([]*ir.Value, n)}
	for _, a := range attrs {
		node.Attrs.Set(a.Name, a.Value)
	}
	return d.add(node)
}

// attrs returns attributes from alternating names and values.
func attrs(pairs ...any) ir.Attrs {
	var out ir.Attrs
	for i := 0; i < len(pairs); i += 2 {
		v := pairs[i+1]
		switch x := v.(type) {
		case int:
			v = int64(x)
		case []int:
			list := make([]int64, len(x))
			for k := range x {
				list[k] = int64(x[k])
			}
			v = list
		}
		out.Set(pairs[i].(string), v)
	}
	return out
}

// chance returns true with probability 1/n.
func (d *drawer) chance(n int) bool { return d.rng.IntN(n) == 0 }

// one returns one of the given values.
func one[T any](d *drawer, of ...T) T { return of[d.rng.IntN(len(of))] }

// pick returns a suitable value, preferably a late one, or nil if there is none.
func (d *drawer) pick(fits func(v *ir.Value) bool) *ir.Value {
	var ok []*ir.Value
	for _, v := range d.vals {
		if v.Type.Kind == ir.Tensor && v.Type.Known() && fits(v) {
			ok = append(ok, v)
		}
	}
	switch {
	case len(ok) == 0:
		return nil
	case d.chance(3):
		return ok[d.rng.IntN(len(ok))]
	}
	return ok[max(0, len(ok)-1-d.rng.IntN(3))]
}

// any returns any value.
func (d *drawer) any() *ir.Value { return d.pick(func(*ir.Value) bool { return true }) }

// float returns a float32 value of at least the given rank. If there is none it adds an input.
func (d *drawer) float(rank int) *ir.Value {
	v := d.pick(func(v *ir.Value) bool { return v.Type.Elem == tensor.Float32 && len(v.Type.Shape) >= rank })
	if v == nil || d.chance(12) {
		v = d.sized(tensor.Float32, rank+d.rng.IntN(max(1, 4-rank)))
	}
	return v
}

// exactly returns a float32 value of the given rank.
func (d *drawer) exactly(rank int) *ir.Value {
	v := d.pick(func(v *ir.Value) bool { return v.Type.Elem == tensor.Float32 && len(v.Type.Shape) == rank })
	if v == nil || d.chance(12) {
		v = d.sized(tensor.Float32, rank)
	}
	return v
}
