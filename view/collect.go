package view

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// collector records the stages of one graph.
type collector struct {
	graph  *Graph
	sizes  map[string]int
	typed  bool // types are inferred, so that operators can compute their work
	consts *summaries
	values map[valueKey]int
	nodes  map[string]int // by their JSON, without the work
	groups map[Group]int
}

// valueKey identifies values that look the same to a reader.
type valueKey struct {
	name, typ string
	content   uint64
}

func newCollector(name string, sizes map[string]int) *collector {
	return &collector{
		graph: &Graph{Name: name, Values: []*Value{}, Nodes: []*Node{}, Groups: []Group{}, Stages: []*Stage{}},
		sizes: sizes, consts: newSummaries(),
		values: map[valueKey]int{}, nodes: map[string]int{}, groups: map[Group]int{},
	}
}

// note records the result of a stage, if it has changed anything.
func (c *collector) note(stage string, m *ir.Module) {
	c.typed = c.typed || stage == "infer"
	if len(c.graph.Nodes) > maxVersions {
		c.graph.Omitted = append(c.graph.Omitted, stage)
		return
	}
	s := &snapshot{collector: c, m: m, stage: &Stage{Name: stage, Nodes: []int{}}}
	s.take()
	if n := len(c.graph.Stages); n == 0 || !s.stage.same(c.graph.Stages[n-1]) {
		c.graph.Stages = append(c.graph.Stages, s.stage)
	}
}

// same reports whether two stages have the same graph.
func (s *Stage) same(o *Stage) bool {
	return slices.Equal(s.Nodes, o.Nodes) && slices.Equal(s.Inputs, o.Inputs) && slices.Equal(s.Outputs, o.Outputs) && slices.Equal(s.States, o.States)
}

// value returns the index of a value. The prefix of its name identifies the function.
func (c *collector) value(v *ir.Value, prefix string) int {
	sum, content := c.consts.of(v.Const)
	out := &Value{Name: clip(prefix + v.Name), Type: clip(v.Type.String()), Const: sum}
	key := valueKey{out.Name, out.Type, content}
	i, ok := c.values[key]
	if !ok {
		i = len(c.graph.Values)
		c.values[key] = i
		c.graph.Values = append(c.graph.Values, out)
	}
	return i
}

// node returns the index of the node x, which was made from n.
func (c *collector) node(x *Node, n *ir.Node) int {
	key, err := json.Marshal(x)
	if err != nil {
		panic("BUG: " + err.Error()) // it contains only strings and numbers
	}
	i, ok := c.nodes[string(key)]
	if !ok {
		i = len(c.graph.Nodes)
		c.nodes[string(key)] = i
		c.graph.Nodes = append(c.graph.Nodes, x)
	}
	if y := c.graph.Nodes[i]; c.typed && y.FLOPs == "" {
		c.weigh(y, n)
	}
	return i
}

// weigh computes the work of a node, if all its types are known.
func (c *collector) weigh(x *Node, n *ir.Node) {
	o := op.Lookup(n)
	unknown := func(v *ir.Value) bool { return v != nil && !v.Type.Known() }
	if o == nil || n.Local || slices.ContainsFunc(n.In, unknown) || slices.ContainsFunc(n.Out, unknown) {
		return
	}
	work, traffic := o.Work(n), o.Traffic(n)
	x.FLOPs, x.Bytes = clip(work.String()), clip(traffic.String())
	x.Work, x.Traffic = c.number(work), c.number(traffic)
}

// number returns a size. Unknown symbols count as 1.
func (c *collector) number(d ir.Dim) float64 {
	n, _ := d.Eval(func(sym string) (int, bool) {
		if size, ok := c.sizes[sym]; ok {
			return size, true
		}
		return 1, true
	})
	return float64(n)
}

// group returns the index of a group.
func (c *collector) group(g Group) int {
	g.Name, g.Of = clip(g.Name), clip(g.Of)
	i, ok := c.groups[g]
	if !ok {
		i = len(c.graph.Groups)
		c.groups[g] = i
		c.graph.Groups = append(c.graph.Groups, g)
	}
	return i
}

// clip limits the length of a text from the input.
func clip(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText], "") + " …"
}
