package peer

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Collectives. Input 0 is all peers of the class, and input 1 the value of each peer. The attribute "port"
// names the edge, which leads to the own class; "reduction" is sum, mean or max; "root" is the rank that has
// or receives the value; "algorithm" overrides the choice by cost; "if_lost" is the reaction to a peer that
// is down: fail, repeat or wait. If "finite" is not 0, values that are not finite are rejected. The attribute
// "codec" selects the compression of elements; if "feedback" is not 0, its loss is added to the next value.
var (
	// CollectiveAllReduce returns the reduction of all values.
	CollectiveAllReduce = together(collective.AllReduce, sameShape)

	// CollectiveReduceScatter returns the peer's rows of the reduction. Rows are distributed in the order of
	// ranks; the first ones may have one more.
	CollectiveReduceScatter = together(collective.ReduceScatter, otherRows)

	// CollectiveAllGather returns all values, concatenated along the first axis.
	CollectiveAllGather = together(collective.AllGather, otherRows)

	// CollectiveBroadcast returns the value of the root.
	CollectiveBroadcast = together(collective.Broadcast, sameShape)

	// CollectiveReduce returns the reduction on the root, and elsewhere the peer's own value.
	CollectiveReduce = together(collective.Reduce, sameShape)

	// CollectiveBarrier is a trigger that fires when all peers have reached it; each first waits for its
	// other inputs.
	CollectiveBarrier = together(collective.Barrier, a(Trigger))

	// CollectiveEnter returns the number of the step at which the peer enters: its own value, or that of the
	// other peers if it joins. These then send it the state of the components in [SlotsAttr].
	CollectiveEnter = together(collective.Enter, sameShape, op.Attr{Name: SlotsAttr, Kind: op.Strings})
)

// The inputs of the collectives.
const (
	CollectivePeers = iota
	CollectiveValue
)

func together(k collective.Kind, out give, more ...op.Attr) *op.Op {
	name := map[collective.Kind]string{
		collective.AllReduce: "AllReduce", collective.ReduceScatter: "ReduceScatter", collective.AllGather: "AllGather",
		collective.Broadcast: "Broadcast", collective.Reduce: "Reduce", collective.Barrier: "Barrier", collective.Enter: "Enter",
	}[k]
	value := op.Port{Name: "value", Types: elem.Any}
	if k == collective.Barrier {
		value = after
	}
	infer := gives(out)
	return &op.Op{
		Name: name, Domain: WireDomain, Since: []int{1}, Effect: true,
		Attrs: append([]op.Attr{
			{Name: "algorithm", Kind: op.String, Default: collective.Auto.String()},
			{Name: "codec", Kind: op.String, Default: collective.Exact.String()},
			{Name: "feedback", Kind: op.Int, Default: 0},
			{Name: "finite", Kind: op.Int, Default: 0},
			{Name: "if_lost", Kind: op.String, Default: collective.Fail.String()},
			phase,
			{Name: "port", Kind: op.String},
			{Name: "reduction", Kind: op.String, Default: collective.Sum.String()},
			{Name: "root", Kind: op.Int, Default: 0},
		}, more...),
		Inputs:  []op.Port{CollectivePeers: {Name: "peers", Types: peerSet}, CollectiveValue: value},
		Outputs: []op.Port{{Name: "value"}},
		Infer: func(c *op.Infer) error {
			if err := infer(c); err != nil {
				return err
			}
			_, _, err := Collective(c.Node)
			return err
		},
		Peer:  &op.Peer{Kind: op.KindCollective, Method: "Collect"},
		Stops: op.StopEngine,
	}
}

// Collective returns the specification of a node that is a collective, and its reaction to a peer that is
// down.
func Collective(n *ir.Node) (s collective.Spec, lost collective.IfLost, err error) {
	s.Root, s.Finite, s.Feedback = n.Int("root"), n.Int("finite") != 0, n.Int("feedback") != 0
	if s.Kind, err = parsed[collective.Kind](kindOf(n.Op)); err == nil {
		s.Op, err = parsed[collective.Op](n.Str("reduction"))
	}
	if err == nil {
		s.Algorithm, err = parsed[collective.Algorithm](n.Str("algorithm"))
	}
	if err == nil {
		s.Codec, err = parsed[collective.Codec](n.Str("codec"))
	}
	if err == nil {
		lost, err = parsed[collective.IfLost](n.Str("if_lost"))
	}
	s.Elem = tensor.Uint8
	if s.Kind != collective.Barrier && s.Kind != collective.Enter && n.Arg(CollectiveValue) != nil {
		s.Elem = n.In[CollectiveValue].Type.Elem
	}
	if err == nil {
		err = s.Check()
	}
	if err == nil && s.Kind == collective.Enter {
		err = checkEnter(n, lost)
	}
	return s, lost, err
}

// checkEnter checks the beginning of a step.
func checkEnter(n *ir.Node, lost collective.IfLost) error {
	if lost != collective.Repeat {
		return fmt.Errorf("peers that join need others that have gone on without them: if_lost is %v, want %v", lost, collective.Repeat)
	}
	if t := n.In[CollectiveValue].Type; t.Known() && (t.Elem != tensor.Int64 || len(t.Shape) > 0) {
		return fmt.Errorf("the number of the step is %s, want int64[]", t)
	}
	return nil
}

// kindOf returns the name in package collective of an operator's kind.
func kindOf(name string) string {
	out := ""
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if r += 'a' - 'A'; i > 0 {
				out += "_"
			}
		}
		out += string(r)
	}
	return out
}

// parsed returns the value of a small type that prints as the text.
func parsed[T interface {
	~uint8
	fmt.Stringer
}](text string) (T, error) {
	for x := range T(16) {
		if x.String() == text {
			return x, nil
		}
	}
	var zero T
	return zero, fmt.Errorf("%q is none of what there is, such as %v", text, zero)
}

// sameShape returns the type of the value.
func sameShape(c *op.Infer, _ int) (ir.Type, error) { return c.Tensor(CollectiveValue) }

// otherRows returns the type of the value with an unknown number of rows.
func otherRows(c *op.Infer, _ int) (ir.Type, error) {
	t, err := c.Tensor(CollectiveValue)
	if err != nil {
		return t, err
	}
	if len(t.Shape) == 0 {
		return t, fmt.Errorf("input %q is %s, which has no rows: want an axis at least", c.Arg(CollectiveValue).Name, t)
	}
	return ir.TensorOf(t.Elem, append([]ir.Dim{c.Fresh("rows")}, t.Shape[1:]...)...), nil
}
