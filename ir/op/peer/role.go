package peer

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// SlotAttr is the attribute of a role's operators that names the slot of the component.
const SlotAttr = "slot"

// SlotsAttr is the attribute of [CollectiveEnter] that names the slots of which a joining peer receives the state.
const SlotsAttr = "slots"

// row is an operator of this package under construction.
type row struct{ *op.Op }

// call returns the operator for a method of a role. It waits for the triggers after its inputs.
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

// as sets the kind of a call.
func (o row) as(kind op.PeerKind) row {
	o.Peer.Kind = kind
	return o
}

// slow sets [op.Peer.Slow].
func (o row) slow() row {
	o.Peer.Slow = true
	return o
}

// ofGraph sets [op.Peer.Graph].
func (o row) ofGraph() row {
	o.Peer.Graph = true
	return o
}

// merges sets [op.Peer.Merges].
func (o row) merges() row {
	o.Peer.Merges = true
	return o
}

// fromPeer sets [op.Peer.Sender].
func (o row) fromPeer() row {
	o.Peer.Sender = true
	return o
}

// weighted sets [op.Peer.Weight].
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

// opened returns t with new symbols of the node for all sizes that are not constant.
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
