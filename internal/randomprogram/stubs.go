package randomprogram

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
)

// errNoStub is the error of a program with calls that no methods of one signature each can have.
var errNoStub = errors.New("there are no components for it")

// partsPath is the import path of the components of a partition.
const partsPath = "bbgen.local/parts"

// isCommand makes half of the methods that authors name commands.
func isCommand(_ *partitioner.Slot, n *ir.Node) bool {
	name := n.Str("method")
	return op.Lookup(n).Peer.Slow || name != "" && name[len(name)-1]%2 == 1
}

// stubs returns components with the methods that a partition calls, and the source of their package.
func stubs(part *partitioner.Partition) (map[string]peerplan.Component, string, error) {
	signatures := map[string]map[string]string{} // by slot and method
	for _, s := range part.Slots {
		signatures[s.Name] = map[string]string{}
	}
	var failed error
	for _, n := range calls(part) {
		p := op.Lookup(n).Peer
		slot, name := n.Str(peer.SlotAttr), p.Method
		if name == "" {
			name = n.Str("method")
		}
		text, err := signature(n)
		have := signatures[slot]
		if err != nil || have == nil || p.Graph || op.ModelUseOf(n).Has(op.EachBatch) || have[name] != "" && have[name] != text {
			failed = errors.Join(errNoStub, err)
			continue
		}
		have[name] = text
	}
	out := map[string]peerplan.Component{}
	var b strings.Builder
	b.WriteString("package parts\n\nimport (\n\t\"context\"\n\n\t\"github.com/bbgen/bbgen/runtime/tensor\"\n\t\"github.com/bbgen/bbgen/runtime/wire\"\n)\n\nvar _ context.Context\nvar _ tensor.DType\nvar _ wire.PeerID\n")
	for _, s := range part.Slots {
		c := peerplan.Component{Package: partsPath, Type: s.Name, Value: peerplan.Literal{Package: partsPath, Type: s.Name}, Methods: map[string]peerplan.Method{}}
		fmt.Fprintf(&b, "\ntype %s struct{}\n", s.Name)
		for name, text := range signatures[s.Name] {
			fmt.Fprintf(&b, "\nfunc (%s) %s%s { panic(0) }\n", s.Name, name, text)
			c.Methods[name] = peerplan.Method{Results: strings.Count(text, "r_")}
		}
		out[s.Name] = c
	}
	return out, b.String(), failed
}

// calls returns the calls of components.
func calls(part *partitioner.Partition) (list []*ir.Node) {
	for _, m := range part.Modules {
		for _, b := range m.Blocks {
			for _, s := range b.Steps {
				if n := s.Node; n != nil && strings.HasPrefix(n.Domain, peer.RolePrefix) && !slices.Contains(list, n) {
					list = append(list, n)
				}
			}
		}
	}
	return list
}

// signature returns the parameters and results of the method that a node calls. Results are named, so that each is
// counted.
func signature(n *ir.Node) (string, error) {
	p := op.Lookup(n).Peer
	var params, results []string
	if p.Sender {
		params = append(params, "wire.PeerID")
	}
	params, err := goTypes(params, n.In)
	if err != nil {
		return "", err
	}
	if p.Weight && len(n.In) < 2 {
		params = append(params, "float32")
	}
	for _, name := range p.Config {
		switch n.Attrs.Lookup(name).(type) {
		case float64:
			params = append(params, "float64")
		case string:
			params = append(params, "string")
		default:
			params = append(params, "int")
		}
	}
	if results, err = goTypes(nil, n.Out); err != nil {
		return "", err
	}
	for i := range results {
		results[i] = fmt.Sprintf(", r_%d %s", i, results[i])
	}
	return fmt.Sprintf("(%s) (%s)", strings.Join(params, ", "), strings.TrimPrefix(strings.Join(results, "")+", err error", ", ")), nil
}

// goTypes appends the Go types of values; triggers have none.
func goTypes(list []string, vs []*ir.Value) ([]string, error) {
	for _, v := range vs {
		if v == nil || v.Type.Equal(peer.Trigger) {
			continue
		}
		t, err := goType(v.Type)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

func goType(t ir.Type) (string, error) {
	switch {
	case t.Equal(peer.Peer1):
		return "wire.PeerID", nil
	case t.Equal(peer.Peers):
		return "[]wire.PeerID", nil
	case t.Equal(peer.Address1):
		return "string", nil
	case t.Kind != ir.Tensor || !t.Elem.Valid():
		return "", fmt.Errorf("a component takes no %s", t)
	case t.Ranked && len(t.Shape) == 0:
		return t.Elem.GoType(), nil
	}
	return "tensor.Dense[" + t.Elem.GoType() + "]", nil
}
