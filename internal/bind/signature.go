package bind

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// first describes the parameters of a method before its operands.
type first uint8

const (
	operandsFirst first = iota
	contextFirst        // context.Context: it is a command
	peerFirst           // runtime.Peer
)

func (t *Types) first(sig *types.Signature) first {
	if sig.Params().Len() == 0 {
		return operandsFirst
	}
	switch types.TypeString(declared(sig.Params().At(0).Type()), nil) {
	case "context.Context":
		return contextFirst
	case pkgRuntime + ".Peer":
		return peerFirst
	}
	return operandsFirst
}

// check compares a call with the method of the slot's type.
func (c *checker) check(n *ir.Node) {
	s := c.slot(n.Str(peer.SlotAttr))
	if s == nil {
		return
	}
	if op.ModelUseOf(n).Has(op.EachBatch) {
		c.checkTrainSteps(n, s)
		return
	}
	if op.Lookup(n).Peer.Graph {
		c.checkBackend(n, s)
		return
	}
	params, results, err := c.wanted(n)
	if err != nil {
		c.failf(n, s, "%w", err)
		return
	}
	c.compare(n, s, method(n), params, results)
}

// compare reports how a method differs from the expected signature.
func (c *checker) compare(n *ir.Node, s *partitioner.Slot, name string, params, results []types.Type) {
	t, err := c.in(s)
	if err != nil {
		return // reported
	}
	want := text(name, params, results)
	m := lookup(t, name)
	if m == nil {
		c.failf(n, s, "%s has no method %s, want\n\t%s", typeText(t), name, want)
		return
	}
	if takesNode(m.Signature()) {
		c.failf(n, s, "the method %s of %s takes a *runtime.Node, want a runtime.Peer, which is what components may call of it", name, typeText(t))
		return
	}
	c.checkCommand(n, s, t, name, m)
	sig := m.Signature()
	skip := 0
	if c.first(sig) != operandsFirst {
		skip = 1
	}
	if i := largeAt(n, sig); i >= skip && i-skip < len(params) {
		if params[i-skip], err = c.large(params[i-skip]); err != nil {
			c.failf(n, s, "%w", err)
			return
		}
	}
	if !same(sig.Params(), skip, params) || !same(sig.Results(), 0, results) || sig.Variadic() {
		c.failf(n, s, "the method %s of %s is\n\t%s\nbut is called as\n\t%s", name, typeText(t), text(name, list(sig.Params()), list(sig.Results())), want)
		return
	}
	c.checkSizes(n, s, name)
}

// takesNode reports whether a method takes the whole node, as components did before there was a runtime.Peer.
func takesNode(sig *types.Signature) bool {
	return sig.Params().Len() > 0 && types.TypeString(declared(sig.Params().At(0).Type()), nil) == "*"+pkgRuntime+".Node"
}

// largeAt returns the parameter of a fold that reads a contribution in parts: the first tensor, as a
// *values.Large. It is -1 if there is none.
func largeAt(n *ir.Node, sig *types.Signature) int {
	if op.Lookup(n).Peer.Kind != op.KindFold {
		return -1
	}
	for i := range sig.Params().Len() {
		if p, ok := sig.Params().At(i).Type().(*types.Pointer); ok {
			if t, ok := types.Unalias(p.Elem()).(*types.Named); ok && t.Obj().Name() == "Large" && t.Obj().Pkg().Path() == pkgValues {
				return i
			}
		}
	}
	return -1
}

// large returns the type *values.Large for a tensor.Dense, or t itself for other types.
func (c *checker) large(t types.Type) (types.Type, error) {
	dense, ok := t.(*types.Named)
	if !ok || dense.TypeArgs().Len() != 1 {
		return t, nil
	}
	large, err := c.named(pkgValues, "Large")
	if err != nil {
		return nil, err
	}
	x, err := types.Instantiate(nil, large.Origin(), []types.Type{dense.TypeArgs().At(0)}, false)
	return types.NewPointer(x), err
}

// checkTrainSteps checks the two methods that the loop of TrainSteps calls, and that they match.
func (c *checker) checkTrainSteps(n *ir.Node, s *partitioner.Slot) {
	data := c.slot(n.Str("data"))
	if data == nil {
		c.failf(n, s, "attribute %q names no slot", "data")
		return
	}
	source, err := c.in(data)
	if err != nil {
		return
	}
	next := lookup(source, "NextBatch")
	if next == nil || next.Signature().Results().Len() < 3 {
		c.failf(n, data, "%s has no method\n\tNextBatch() (batch, labels, error)", typeText(source))
		return
	}
	batch := list(next.Signature().Results())
	c.compare(n, s, "TrainStep", batch[:len(batch)-1], []types.Type{types.Typ[types.Float32], errorType})
}

var errorType = types.Universe.Lookup("error").Type()

// wanted returns the expected signature for a node.
func (c *checker) wanted(n *ir.Node) (params, results []types.Type, err error) {
	p := op.Lookup(n).Peer
	if p.Sender {
		id, err := c.named(pkgWire, "PeerID")
		if err != nil {
			return nil, nil, err
		}
		params = append(params, id)
	}
	for _, v := range n.In {
		if params, err = c.append(params, v); err != nil {
			return nil, nil, err
		}
	}
	if p.Weight && len(n.In) < 2 {
		params = append(params, types.Typ[types.Float32])
	}
	for _, name := range p.Config {
		switch n.Attrs.Lookup(name).(type) {
		case float64:
			params = append(params, types.Typ[types.Float64])
		case string:
			params = append(params, types.Typ[types.String])
		default:
			params = append(params, types.Typ[types.Int])
		}
	}
	for _, v := range n.Out {
		if results, err = c.append(results, v); err != nil {
			return nil, nil, err
		}
	}
	return params, append(results, errorType), nil
}

// append appends the Go type of a value; triggers have none.
func (c *checker) append(list []types.Type, v *ir.Value) ([]types.Type, error) {
	if v == nil || v.Type.Equal(peer.Trigger) {
		return list, nil
	}
	t, err := c.goType(v.Type)
	if err != nil {
		return nil, fmt.Errorf("value %q is %s: %w", v.Name, v.Type, err)
	}
	return append(list, t), nil
}

func (c *checker) goType(t ir.Type) (types.Type, error) {
	switch {
	case t.Equal(peer.Peer1):
		return c.named(pkgWire, "PeerID")
	case t.Equal(peer.Peers):
		id, err := c.named(pkgWire, "PeerID")
		return types.NewSlice(id), err
	case t.Equal(peer.Address1):
		return types.Typ[types.String], nil
	case peer.IsOwn(t):
		return c.own(t)
	case t.Kind != ir.Tensor || !t.Elem.Valid():
		return nil, fmt.Errorf("components take tensors, peers, addresses and values of Go types")
	}
	elem, err := c.elem(t.Elem)
	if err != nil || t.Ranked && len(t.Shape) == 0 {
		return elem, err
	}
	dense, err := c.named(pkgTensor, "Dense")
	if err != nil {
		return nil, err
	}
	return types.Instantiate(nil, dense.Origin(), []types.Type{elem}, false)
}

func (c *checker) elem(d tensor.DType) (types.Type, error) {
	name := d.GoType()
	if small, ok := strings.CutPrefix(name, "tensor."); ok {
		return c.named(pkgTensor, small)
	}
	return types.Universe.Lookup(name).Type(), nil
}

func list(t *types.Tuple) []types.Type {
	out := make([]types.Type, t.Len())
	for i := range out {
		out[i] = t.At(i).Type()
	}
	return out
}

func same(have *types.Tuple, skip int, want []types.Type) bool {
	if have.Len()-skip != len(want) {
		return false
	}
	for i, t := range want {
		if typeText(declared(have.At(i+skip).Type())) != typeText(declared(t)) {
			return false
		}
	}
	return true
}

// declared returns a type under its declared name instead of an alias, also inside of pointers and slices.
func declared(t types.Type) types.Type {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		return types.NewPointer(declared(t.Elem()))
	case *types.Slice:
		return types.NewSlice(declared(t.Elem()))
	default:
		return t
	}
}

// text returns a method signature as in source code.
func text(name string, params, results []types.Type) string {
	s := name + "(" + typeList(params) + ")"
	switch len(results) {
	case 0:
		return s
	case 1:
		return s + " " + typeList(results)
	}
	return s + " (" + typeList(results) + ")"
}

func typeList(list []types.Type) string {
	s := make([]string, len(list))
	for i, t := range list {
		s[i] = typeText(t)
	}
	return strings.Join(s, ", ")
}

// typeText returns a type with package names as in source code.
func typeText(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

func (c *checker) failf(n *ir.Node, s *partitioner.Slot, format string, args ...any) {
	where := ""
	if n.Pos != "" {
		where = n.Pos + ": "
	}
	c.errs = append(c.errs, fmt.Errorf("%sslot %q of %s: %w", where, s.Name, c.part.Class, fmt.Errorf(format, args...)))
}
