package exec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/host/suggest"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Operation is one operator with its attributes.
type Operation struct {
	Name    string
	Domain  string // "" is ONNX's own
	Version int    // of the operator set; 0 is the newest
	Attrs   ir.Attrs
	Outputs int // the number of wanted outputs
}

// Make returns the graph of one operation on inputs of these types; nil is an omitted input.
func (o *Operation) Make(in []*tensor.Tensor, m Memory) (_ *Graph, err error) {
	defer recovered(&err)
	row := op.Find(o.Domain, o.Name)
	switch {
	case row == nil:
		return nil, fmt.Errorf("%s: no such operator%s", o, meant(o.String()))
	case row.Peer != nil:
		return nil, fmt.Errorf("%s: is for the peers of a distributed program", o)
	case row.Flow != op.NoFlow:
		return nil, fmt.Errorf("%s: has graphs inside: send it as a part of a graph", o)
	}
	version := o.Version
	if version == 0 {
		version = op.NewestSet(o.Domain)
	}
	n := &ir.Node{Op: o.Name, Domain: o.Domain, Name: o.Name, Attrs: o.Attrs, Version: version}
	body := &ir.Region{Nodes: []*ir.Node{n}}
	for i, t := range in {
		if t == nil {
			n.In = append(n.In, nil)
			continue
		}
		v := &ir.Value{Name: fmt.Sprint("in", i), Type: ir.TensorOf(t.DType, ir.Cs(t.Shape...)...)}
		n.In, body.Params = append(n.In, v), append(body.Params, v)
	}
	for i := range o.Outputs {
		v := &ir.Value{Name: fmt.Sprint("out", i), Def: n}
		n.Out, body.Results = append(n.Out, v), append(body.Results, v)
	}
	module := &ir.Module{
		Name: o.Name, File: o.String(), Opsets: map[string]int{"": op.NewestSet(""), o.Domain: version},
		Main: &ir.Func{Name: "main", Body: body},
	}
	return newGraph(module, m), nil
}

// meant returns the name of the operator that is most similar to a name, as the end of an error.
func meant(name string) string {
	if known := suggest.Closest(name, Operators()); known != "" {
		return fmt.Sprintf("; did you mean %s?", known)
	}
	return ""
}

// String returns the operator's name.
func (o *Operation) String() string {
	if o.Domain == "" {
		return o.Name
	}
	return o.Domain + "." + o.Name
}

// Random reports whether an operation draws random numbers.
func (o *Operation) Random() bool {
	row := op.Find(o.Domain, o.Name)
	return row != nil && row.Random
}

// Key returns a text that is equal for operations that compute the same on inputs of the same types.
func (o *Operation) Key(in []*tensor.Tensor) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d %d", o, o.Version, o.Outputs)
	for _, a := range o.Attrs {
		fmt.Fprintf(&b, " %s=%s", a.Name, attrKey(a.Value))
	}
	for _, t := range in {
		fmt.Fprintf(&b, " %v", t)
	}
	return b.String()
}

// attrKey returns an attribute's value as text, including a tensor's elements.
func attrKey(v any) string {
	t, ok := v.(*tensor.Tensor)
	switch {
	case !ok:
		return fmt.Sprintf("%T%#v", v, v) // both: a float may print as an int does
	case t.DType == tensor.String:
		return fmt.Sprintf("%v%q", t, tensor.Data[string](t))
	}
	return fmt.Sprintf("%v%x", t, t.Bytes())
}

// Operators lists the operators that can be executed, each as domain.name or name.
func Operators() []string {
	var names []string
	for _, row := range op.All() {
		if row.Peer == nil && row.Flow == op.NoFlow {
			names = append(names, (&Operation{Name: row.Name, Domain: row.Domain}).String())
		}
	}
	slices.Sort(names)
	return names
}

// DTypes lists the element types for which there are kernels.
func DTypes() []string {
	var names []string
	for d := tensor.Float32; d.Valid(); d++ {
		names = append(names, d.String())
	}
	return names
}
