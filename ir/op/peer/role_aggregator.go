package peer

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The methods of an aggregator, which combines the values of many peers.
var (
	// AggregatorContribute takes the value of a peer, and its weight.
	AggregatorContribute = call("aggregator", "Contribute",
		[]op.Port{{Name: "value", Types: tensorOrOwn}, {Name: "weight", Types: rank0(tensor.Float32), Optional: true}}, []op.Port{{Name: "counted", Types: aTrigger}},
		gives(triggered)).as(op.KindFold).fromPeer().weighted().Op

	// AggregatorAggregate returns the combined contributions. It waits for the number of peers in the
	// attribute "quorum", and for the others at most the nanoseconds in "within".
	AggregatorAggregate = call("aggregator", "Aggregate",
		[]op.Port{{Name: "contributed", Types: aTrigger, Variadic: true, Mixed: true, Min: 1}}, []op.Port{{Name: "aggregate"}},
		gives(said(contributed)), op.Attr{Name: "quorum", Kind: op.Int}, op.Attr{Name: "within", Kind: op.Int}).as(op.KindGather).givesAway().Op

	// AggregatorAggregateWeighted is [AggregatorAggregate], and also returns the total weight.
	AggregatorAggregateWeighted = call("aggregator", "AggregateWeighted",
		[]op.Port{{Name: "contributed", Types: aTrigger, Variadic: true, Mixed: true, Min: 1}}, []op.Port{{Name: "aggregate"}, {Name: "weight"}},
		gives(said(contributed), floatScalar), op.Attr{Name: "quorum", Kind: op.Int}, op.Attr{Name: "within", Kind: op.Int}).as(op.KindGather).Op
)

// contributed returns the type of the contributions to the aggregate, if the input leads to them.
func contributed(c *op.Infer, _ int) (ir.Type, error) {
	for _, v := range c.In {
		if v != nil && v.Def != nil && v.Def.Op == "Contribute" && v.Def.Domain == RolePrefix+"aggregator" {
			return opened(c, v.Def.In[op.X].Type), nil
		}
	}
	return ir.Type{Elem: tensor.Float32}, nil
}

// givesAway sets [op.Peer.GivesAway].
func (o row) givesAway() row {
	o.Peer.GivesAway = true
	return o
}
