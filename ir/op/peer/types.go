package peer

import (
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TypesAttr is the attribute with which the author of a program gives the types of a node's outputs, if they
// cannot be inferred. It has the form of [ir.Type.String], with symbols that are local to this list.
const TypesAttr = "types"

// The opaque types of distributed programs.
var (
	Peer1    = ir.Type{Kind: ir.Opaque, Name: PeerType}
	Peers    = ir.Type{Kind: ir.Opaque, Name: PeersType}
	Trigger  = ir.Type{Kind: ir.Opaque, Name: TriggerType}
	Address1 = ir.Type{Kind: ir.Opaque, Name: AddressType}
)

var (
	aTensor         = op.TypeSet{Name: "a tensor", Holds: func(t ir.Type) bool { return t.Kind == ir.Tensor && t.Elem != tensor.Undefined }}
	tensorOrOwn     = op.TypeSet{Name: "a tensor or a value of a Go type", Holds: func(t ir.Type) bool { return aTensor.Holds(t) || IsOwn(t) }}
	tensorOrTrigger = op.TypeSet{Name: "a tensor or a trigger", Holds: func(t ir.Type) bool { return aTensor.Holds(t) || aTrigger.Holds(t) }}
	aTrigger        = op.TypeSet{Name: "a trigger", Holds: func(t ir.Type) bool { return t.Equal(Trigger) }}
	aPeer           = op.TypeSet{Name: "a peer", Holds: func(t ir.Type) bool { return t.Equal(Peer1) }}
	peerSet         = op.TypeSet{Name: "peers", Holds: func(t ir.Type) bool { return t.Equal(Peers) }}
	somePeers       = op.TypeSet{Name: "peers", Holds: NamePeers}
	anAddress       = op.TypeSet{Name: "an address", Holds: func(t ir.Type) bool { return t.Equal(Address1) }}
	aBundle         = op.TypeSet{Name: "a bundle", Holds: func(t ir.Type) bool { return t.Kind == ir.Opaque && strings.HasPrefix(t.Name, bundlePrefix) }}
)

// rank0 returns a tensor of one element.
func rank0(elem tensor.DType) op.TypeSet {
	return op.TypeSet{Name: elem.String() + "[]", Holds: func(t ir.Type) bool {
		return t.Kind == ir.Tensor && t.Elem == elem && (!t.Ranked || len(t.Shape) == 0)
	}}
}

// give returns the type of an output.
type give func(c *op.Infer, i int) (ir.Type, error)

// a returns a give for one type, independent of the inputs.
func a(t ir.Type) give { return func(*op.Infer, int) (ir.Type, error) { return t, nil } }

func giveScalar(elem tensor.DType) give { return a(ir.TensorOf(elem)) }

// asInput returns a give for the type of an input.
func asInput(input int) give {
	return func(c *op.Infer, _ int) (ir.Type, error) { return c.Type(input), nil }
}

// said returns a give for the type in [TypesAttr], or else for that of another give.
func said(otherwise give) give {
	return func(c *op.Infer, i int) (ir.Type, error) {
		list := c.Strs(TypesAttr)
		if i >= len(list) || list[i] == "" {
			return otherwise(c, i)
		}
		t, err := ir.ParseType(list[i])
		if err != nil {
			return t, fmt.Errorf("attribute %q: %w", TypesAttr, err)
		}
		return withOwn(c, t, ownSyms(c))
	}
}

// ownSyms numbers the symbols in the node's list of types that are its own.
func ownSyms(c *op.Infer) map[string]int {
	nums := map[string]int{}
	for _, s := range c.Strs(TypesAttr) {
		t, err := ir.ParseType(s)
		if err != nil {
			continue
		}
		for _, d := range Sizes(t) {
			name, ok := d.Symbol()
			_, have := nums[name]
			if _, _, input := inputAxis(name); ok && !have && !input {
				nums[name] = len(nums)
			}
		}
	}
	return nums
}

// Sizes returns the sizes of all axes of a tensor, or of the tensors in a bundle.
func Sizes(t ir.Type) []ir.Dim {
	parts, err := BundleParts(t)
	if err != nil {
		return t.Shape
	}
	var out []ir.Dim
	for _, p := range parts {
		out = append(out, Sizes(p)...)
	}
	return out
}

// InputAxis returns the symbol that [TypesAttr] uses for the size of an axis of an input.
func InputAxis(input, axis int) string { return fmt.Sprintf("in%d.%d", input, axis) }

func inputAxis(sym string) (input, axis int, ok bool) {
	n, err := fmt.Sscanf(sym, "in%d.%d", &input, &axis)
	return input, axis, err == nil && n == 2 && sym == InputAxis(input, axis)
}

// withOwn returns t with the symbols of the node's list of types replaced by sizes of inputs or by the node's
// own symbols.
func withOwn(c *op.Infer, t ir.Type, nums map[string]int) (ir.Type, error) {
	if parts, err := BundleParts(t); err == nil {
		for i := range parts {
			if parts[i], err = withOwn(c, parts[i], nums); err != nil {
				return t, err
			}
		}
		return BundleOf(parts), nil
	}
	for k, d := range t.Shape {
		name, ok := d.Symbol()
		if !ok && !isConst(d) {
			return t, fmt.Errorf("attribute %q: size %s is neither a number nor a name", TypesAttr, d)
		}
		if i, own := nums[name]; own {
			t.Shape[k] = c.FreshAt(i, name)
		}
		if i, axis, ok := inputAxis(name); ok {
			if in := c.Type(i); axis >= len(in.Shape) || axis < 0 || i < 0 {
				return t, fmt.Errorf("attribute %q: there is no %s", TypesAttr, name)
			}
			t.Shape[k] = c.Type(i).Shape[axis]
		}
	}
	return t, nil
}

// openDims returns a give for a type with sizes that are known only after the node has run.
func openDims(elem tensor.DType, rank int) give {
	return func(c *op.Infer, _ int) (ir.Type, error) {
		shape := make([]ir.Dim, rank)
		for i := range shape {
			shape[i] = c.Fresh("n")
		}
		return ir.TensorOf(elem, shape...), nil
	}
}

// anyRank returns a give for tensors of unknown rank.
func anyRank(elem tensor.DType) give { return a(ir.Type{Elem: elem}) }

// gives returns the inference of an operator that does not compute. The outputs have the given types; the
// last give is used for all further outputs.
func gives(out ...give) func(c *op.Infer) error {
	return func(c *op.Infer) error {
		for i := range c.Node.Out {
			t, err := out[min(i, len(out)-1)](c, i)
			if err != nil {
				return err
			}
			c.Out(i, t)
		}
		return nil
	}
}

// needsType returns the error for a type that only the author can know.
func needsType(_ *op.Infer, i int) (ir.Type, error) {
	return ir.Type{}, fmt.Errorf("attribute %q does not say what output %d is", TypesAttr, i)
}

// NamePeers reports whether a type is that of one peer or of several.
func NamePeers(t ir.Type) bool { return t.Equal(Peer1) || t.Equal(Peers) }

// IsTrigger reports whether a value is an event without data, which needs no memory.
func IsTrigger(v *ir.Value) bool { return v.Type.Equal(Trigger) }
