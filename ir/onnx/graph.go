package onnx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// graph reads a graph into an empty scope. It first reads all definitions and then the nodes' inputs, as a
// file may list nodes in any order. The caller sorts them.
func (d *decoder) graph(p *onnxpb.GraphProto, s *scope) (*ir.Region, error) {
	if d.depth++; d.depth > maxDepth {
		return nil, fmt.Errorf("graphs are nested deeper than %d", maxDepth)
	}
	defer func() { d.depth-- }()

	r := &ir.Region{}
	var err error
	if err := d.initializers(p, s); err != nil {
		return nil, err
	}
	if r.Params, err = d.inputs(p, s); err != nil {
		return nil, err
	}
	if r.Nodes, err = d.body(p.Node, s); err != nil {
		return nil, err
	}
	for _, o := range p.Output {
		v := s.lookup(o.GetName())
		if v == nil {
			return nil, fmt.Errorf("graph output %q is not defined", o.GetName())
		}
		r.Results = append(r.Results, v)
	}
	return r, d.hints(s, p.Output, p.ValueInfo)
}

// initializers defines the graph's constants.
func (d *decoder) initializers(p *onnxpb.GraphProto, s *scope) error {
	for _, t := range p.Initializer {
		x, err := d.tensor(t)
		if err := d.constant(t, x, err, s); err != nil {
			return err
		}
	}
	for _, t := range p.SparseInitializer {
		x, err := d.sparse(t)
		if err := d.constant(t.GetValues(), x, err, s); err != nil {
			return err
		}
	}
	return nil
}

// constant defines the value of an initializer with the name in p.
func (d *decoder) constant(p *onnxpb.TensorProto, t *tensor.Tensor, err error, s *scope) error {
	name := p.GetName()
	if err != nil {
		return fmt.Errorf("initializer %q: %w", name, err)
	}
	if name == "" {
		return errors.New("an initializer has no name")
	}
	v := ir.NewConst(d.values.fresh(printable(name)), t)
	v.Doc = p.GetDocString()
	if err := s.define(name, v); err != nil {
		return fmt.Errorf("initializer %w", err)
	}
	return nil
}

// inputs defines the graph's parameters. In the model's graph, an input with an initializer is a constant and
// not a parameter. The inputs of an inner graph are passed by position, so that its initializers are ignored.
func (d *decoder) inputs(p *onnxpb.GraphProto, s *scope) ([]*ir.Value, error) {
	var params []*ir.Value
	seen := map[string]bool{}
	for _, in := range p.Input {
		name := in.GetName()
		switch {
		case name == "":
			return nil, errors.New("a graph input has no name")
		case seen[name]:
			return nil, fmt.Errorf("graph input %q is defined twice", name)
		}
		seen[name] = true
		if d.isState(in) {
			if err := d.state(in, s); err != nil {
				return nil, fmt.Errorf("graph input %q: %w", name, err)
			}
			continue
		}
		if s.vals[name] != nil && d.depth == 1 {
			continue
		}
		v := &ir.Value{Name: d.values.fresh(printable(name)), Doc: in.GetDocString()}
		if err := d.inputType(v, in.GetType()); err != nil {
			return nil, fmt.Errorf("graph input %q: %w", name, err)
		}
		s.vals[name] = v
		params = append(params, v)
	}
	return params, nil
}

// inputType sets the type of a parameter. The types of an inner graph's parameters are inferred; those in the
// file are hints.
func (d *decoder) inputType(v *ir.Value, p *onnxpb.TypeProto) (err error) {
	if d.depth > 1 {
		return d.hint(v, p)
	}
	v.Type, err = d.typ(p, v.Name)
	return err
}

// hints sets the types of values that have none, from the file. Inference later overrides them.
func (d *decoder) hints(s *scope, lists ...[]*onnxpb.ValueInfoProto) error {
	for _, info := range slices.Concat(lists...) {
		v := s.vals[info.GetName()]
		if v == nil {
			continue
		}
		if v.Doc == "" {
			v.Doc = info.GetDocString()
		}
		if v.Type.Kind != ir.Tensor || v.Type.Elem != tensor.Undefined {
			continue
		}
		if err := d.hint(v, info.GetType()); err != nil {
			return fmt.Errorf("value %q: %w", info.GetName(), err)
		}
	}
	return nil
}

// microsoft are operators of com.microsoft that ONNX Runtime writes in ONNX's own domain.
var microsoft = map[string]bool{"SimplifiedLayerNormalization": true}

// body reads nodes: first the values that they define, then their inputs.
func (d *decoder) body(list []*onnxpb.NodeProto, s *scope) ([]*ir.Node, error) {
	nodes := make([]*ir.Node, len(list))
	for i, p := range list {
		id := funcID{domain(p.GetDomain()), p.GetOpType(), p.GetOverload()}
		if err := id.check("operator"); err != nil {
			return nil, fmt.Errorf("node %q: %w", nodeName(p), err)
		}
		if id.domain == "" && microsoft[id.name] && d.funcs[id] == nil {
			id.domain = "com.microsoft"
		}
		nodes[i] = &ir.Node{Op: id.name, Domain: id.domain, Over: id.overload}
		if err := d.declareNode(nodes[i], p, s); err != nil {
			return nil, fmt.Errorf("%s: %w", nodes[i], err)
		}
	}
	for i, p := range list {
		if err := d.node(nodes[i], p, s); err != nil {
			return nil, fmt.Errorf("%s: %w", nodes[i], err)
		}
	}
	return nodes, nil
}

// declareNode names a node and defines its outputs.
func (d *decoder) declareNode(n *ir.Node, p *onnxpb.NodeProto, s *scope) error {
	n.Name = nodeName(p)
	for _, name := range p.Output {
		if name == "" {
			n.Out = append(n.Out, nil)
			continue
		}
		v := &ir.Value{Name: d.values.fresh(printable(name)), Def: n}
		if err := s.define(name, v); err != nil {
			return fmt.Errorf("output %w", err)
		}
		n.Out = append(n.Out, v)
	}
	if v := n.Res(0); v != nil && p.GetName() == "" {
		n.Name = v.Name // with its number, if it has one
	}
	n.Name = d.nodes.fresh(n.Name)
	return nil
}

// nodeName returns the name in the file, or else that of the first output, or else that of the operator.
func nodeName(p *onnxpb.NodeProto) string {
	for _, name := range append([]string{p.GetName()}, p.Output...) {
		if name != "" {
			return printable(name)
		}
	}
	return p.GetOpType()
}

// node reads the inputs, attributes and metadata of a node.
func (d *decoder) node(n *ir.Node, p *onnxpb.NodeProto, s *scope) error {
	_, n.Local = d.funcs[funcID{n.Domain, n.Op, n.Over}]
	n.Version = d.version(n.Domain)
	annotated(n, p.MetadataProps)
	for _, name := range p.Input {
		if name == "" {
			n.In = append(n.In, nil)
			continue
		}
		v := s.lookup(name)
		if v == nil {
			return fmt.Errorf("input %q is not defined", name)
		}
		n.In = append(n.In, v)
	}
	return d.attrs(n, p.Attribute, s)
}
