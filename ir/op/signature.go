package op

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TypesAttr is the attribute with which the author of a program says of what
// types a node's outputs are, where nothing else does: as [ir.Type.String] prints
// them, with symbols that mean something in this list alone.
const TypesAttr = "types"

// The opaque types of distributed programs.
var (
	Peer1    = ir.Type{Kind: ir.Opaque, Name: PeerType}
	Peers    = ir.Type{Kind: ir.Opaque, Name: PeersType}
	Trigger  = ir.Type{Kind: ir.Opaque, Name: TriggerType}
	Address1 = ir.Type{Kind: ir.Opaque, Name: AddressType}
)

// want is what an input of an operator that computes nothing may be.
type want struct {
	what string
	ok   func(t ir.Type) bool
}

var (
	anything  = want{"a value", func(ir.Type) bool { return true }}
	aTensor   = want{"a tensor", func(t ir.Type) bool { return t.Kind == ir.Tensor && t.Elem != tensor.Undefined }}
	aTrigger  = want{"a trigger", func(t ir.Type) bool { return t.Equal(Trigger) }}
	aPeer     = want{"a peer", func(t ir.Type) bool { return t.Equal(Peer1) }}
	peerSet   = want{"peers", func(t ir.Type) bool { return t.Equal(Peers) }}
	somePeers = want{"peers", func(t ir.Type) bool { return t.Equal(Peer1) || t.Equal(Peers) }}
	anAddress = want{"an address", func(t ir.Type) bool { return t.Equal(Address1) }}
	aBundle   = want{"a bundle", func(t ir.Type) bool { return t.Kind == ir.Opaque && strings.HasPrefix(t.Name, bundlePrefix) }}
)

// rank0 is a tensor of one element.
func rank0(elem tensor.DType) want {
	return want{elem.String() + "[]", func(t ir.Type) bool {
		return t.Kind == ir.Tensor && t.Elem == elem && (!t.Ranked || len(t.Shape) == 0)
	}}
}

// give is the type of an output.
type give func(c *Infer, i int) (ir.Type, error)

// a gives one type, whatever the inputs are.
func a(t ir.Type) give { return func(*Infer, int) (ir.Type, error) { return t, nil } }

func giveScalar(elem tensor.DType) give { return a(ir.TensorOf(elem)) }

// asInput gives the type of an input.
func asInput(input int) give {
	return func(c *Infer, _ int) (ir.Type, error) { return c.Type(input), nil }
}

// said gives what the author said in [TypesAttr], else what another give has to
// say.
func said(otherwise give) give {
	return func(c *Infer, i int) (ir.Type, error) {
		list := c.Strs(TypesAttr)
		if i >= len(list) || list[i] == "" {
			return otherwise(c, i)
		}
		t, err := ir.ParseType(list[i])
		if err != nil {
			return t, fmt.Errorf("attribute %q: %w", TypesAttr, err)
		}
		return withOwn(c, t, ownSyms(c)), nil
	}
}

// ownSyms numbers the symbols in the node's list of types that no input has.
func ownSyms(c *Infer) map[string]int {
	given := map[string]bool{}
	for _, v := range c.In {
		if v != nil {
			eachSym(v.Type, func(name string) { given[name] = true })
		}
	}
	nums := map[string]int{}
	for _, s := range c.Strs(TypesAttr) {
		if t, err := ir.ParseType(s); err == nil {
			eachSym(t, func(name string) {
				if _, ok := nums[name]; !ok && !given[name] {
					nums[name] = len(nums)
				}
			})
		}
	}
	return nums
}

func eachSym(t ir.Type, f func(name string)) {
	for _, d := range t.Shape {
		d.Syms(f)
	}
}

// withOwn is t with the node's own symbols for those that have a number.
func withOwn(c *Infer, t ir.Type, nums map[string]int) ir.Type {
	for k, d := range t.Shape {
		name, _ := d.Symbol()
		if i, ok := nums[name]; ok {
			t.Shape[k] = c.numbered(i, name)
		}
	}
	return t
}

// numbered is the node's symbol of a number, as [Infer.Fresh] makes them.
func (c *Infer) numbered(i int, what string) ir.Dim {
	for c.syms <= i {
		c.Fresh(what)
	}
	return ir.Sym(c.Syms[i])
}

// openDims gives a type whose sizes are known only when the node has run.
func openDims(elem tensor.DType, rank int) give {
	return func(c *Infer, _ int) (ir.Type, error) {
		shape := make([]ir.Dim, rank)
		for i := range shape {
			shape[i] = c.Fresh("n")
		}
		return ir.TensorOf(elem, shape...), nil
	}
}

// anyRank gives tensors of whatever shape they turn out to have.
func anyRank(elem tensor.DType) give { return a(ir.Type{Elem: elem}) }

// takes makes the inference of an operator that computes nothing: each input is
// as wanted, the last want counting for all that follow, and the outputs are as
// given, the last give likewise.
func takes(in []want, out ...give) func(c *Infer) error {
	return func(c *Infer) error {
		for i, v := range c.In {
			if v == nil {
				continue
			}
			if len(in) == 0 {
				return errors.New("takes no inputs")
			}
			if w := in[min(i, len(in)-1)]; !w.ok(v.Type) {
				return fmt.Errorf("input %q is %s, want %s", v.Name, v.Type, w.what)
			}
		}
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

// needsType says that only the author can know the type.
func needsType(_ *Infer, i int) (ir.Type, error) {
	return ir.Type{}, fmt.Errorf("attribute %q does not say what output %d is", TypesAttr, i)
}
