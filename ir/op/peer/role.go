package peer

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// SlotAttr is the attribute of a role's operators that names the slot whose
// component is called.
const SlotAttr = "slot"

// SlotsAttr is the attribute of [CollectiveEnter] that names the slots whose state a peer is
// given that joins.
const SlotsAttr = "slots"

// row is an operator of this package whose columns are still filled in.
type row struct{ *op.Op }

// call returns a method of a role, which waits for the triggers behind its inputs.
func call(role, name string, in, out []op.Port, infer func(*op.Infer) error, attrs ...op.Attr) row {
	if k := len(in) - 1; k < 0 || !in[k].Variadic {
		in = append(in, after)
	}
	attrs = append(attrs, op.Attr{Name: SlotAttr, Kind: op.String}, op.Attr{Name: TypesAttr, Kind: op.Strings}, phase)
	return row{&op.Op{
		Name: name, Domain: RolePrefix + role, Since: []int{1}, Attrs: attrs, Inputs: in, Outputs: out, Infer: infer, Effect: true,
		Peer: &op.Peer{Kind: op.KindCall, Method: name, Config: arguments(attrs)}, Stops: op.StopComponent,
	}}
}

// arguments names the attributes that follow the inputs as arguments.
func arguments(attrs []op.Attr) []string {
	var names []string
	for _, a := range attrs {
		if a.Arg {
			names = append(names, a.Name)
		}
	}
	return names
}

// as changes the kind of a call.
func (o row) as(kind op.PeerKind) row {
	o.Peer.Kind = kind
	return o
}

// slow has the method run beside the engine.
func (o row) slow() row {
	o.Peer.Slow = true
	return o
}

// ofGraph has the component compute the model in the attribute "graph".
func (o row) ofGraph() row {
	o.Peer.Graph = true
	return o
}

// fromPeer has the method be told which peer the inputs came from.
func (o row) fromPeer() row {
	o.Peer.Sender = true
	return o
}

// weighted has a second input that is left out be 1.
func (o row) weighted() row {
	o.Peer.Weight = true
	return o
}

var (
	floatScalar = giveScalar(tensor.Float32)
	triggered   = a(Trigger)
	floatVector = openDims(tensor.Float32, 1)
	bytes       = openDims(tensor.Uint8, 1)
)

// opened returns t with the node's own symbols for all sizes that are not constant.
func opened(c *op.Infer, t ir.Type) ir.Type {
	if t.Kind != ir.Tensor || !t.Ranked {
		return t
	}
	shape := make([]ir.Dim, len(t.Shape))
	for i, d := range t.Shape {
		if shape[i] = d; !isConst(d) {
			shape[i] = c.Fresh("n")
		}
	}
	return ir.TensorOf(t.Elem, shape...)
}

func isConst(d ir.Dim) bool {
	_, ok := d.Const()
	return ok
}
