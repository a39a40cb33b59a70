package onnx

import (
	"errors"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
)

// function writes a local function. It cannot have initializers, so the constants that it reads directly
// become Constant nodes.
func (e *encoder) function(f *ir.Func) (*onnxpb.FunctionProto, error) {
	if f.State != nil {
		return nil, errors.New("only the main function can have states in ONNX")
	}
	consts := readDirectly(f)
	e.f, e.placed = f, setOf(consts)
	e.opsets = imports(f.Opsets, e.m.Opsets, f.Body)
	if _, ok := e.opsets[""]; !ok && len(consts) > 0 {
		e.opsets[""] = max(e.m.Opsets[""], 1)
	}
	p := &onnxpb.FunctionProto{
		Name:        &f.Name,
		Domain:      &f.Domain,
		Input:       mapped(f.Body.Params, nameOf),
		Output:      mapped(f.Body.Results, nameOf),
		OpsetImport: importProtos(e.opsets),
		ValueInfo:   slices.Concat(typed(f.Body.Params), inside(f.Body), typed(f.Body.Results)),
	}
	if f.Overload != "" {
		p.Overload = &f.Overload
	}
	if err := e.formal(p, f); err != nil {
		return nil, err
	}
	for _, v := range consts {
		n, err := constantNode(v)
		if err != nil {
			return nil, fmt.Errorf("constant %q: %w", v.Name, err)
		}
		p.Node = append(p.Node, n)
	}
	nodes, err := e.nodes(f.Body.Nodes)
	p.Node = append(p.Node, nodes...)
	return p, err
}

// formal writes the names of required attributes, and those with defaults.
func (e *encoder) formal(p *onnxpb.FunctionProto, f *ir.Func) error {
	for _, name := range f.Attrs {
		v := f.Defaults.Lookup(name)
		if v == nil {
			p.Attribute = append(p.Attribute, name)
			continue
		}
		a, err := e.attr(ir.Attr{Name: name, Value: v})
		if err != nil {
			return fmt.Errorf("attribute %q: %w", name, err)
		}
		p.AttributeProto = append(p.AttributeProto, a)
	}
	return nil
}

// readDirectly returns the constants that the nodes of the body itself read, or that are results.
func readDirectly(f *ir.Func) []*ir.Value {
	var out []*ir.Value
	seen := map[*ir.Value]bool{}
	add := func(vs []*ir.Value) {
		for _, v := range vs {
			if v.IsConst() && !seen[v] {
				seen[v] = true
				out = append(out, v)
			}
		}
	}
	for _, n := range f.Body.Nodes {
		add(n.In)
	}
	add(f.Body.Results)
	return out
}

// typed returns the known types of values.
func typed(vs []*ir.Value) []*onnxpb.ValueInfoProto {
	return slices.DeleteFunc(mapped(vs, valueInfo), func(p *onnxpb.ValueInfoProto) bool {
		return p.Type == nil && p.DocString == nil
	})
}

func constantNode(v *ir.Value) (*onnxpb.NodeProto, error) {
	t, err := tensorProto("", v.Const)
	return &onnxpb.NodeProto{
		OpType: proto.String("Constant"),
		Output: []string{v.Name},
		Attribute: []*onnxpb.AttributeProto{
			{Name: proto.String("value"), Type: onnxpb.AttributeProto_TENSOR.Enum(), T: t},
		},
	}, err
}

// training writes the training information of the module.
func (e *encoder) training(t *ir.Training) (p *onnxpb.TrainingInfoProto, err error) {
	p = &onnxpb.TrainingInfoProto{
		UpdateBinding:         mapped(t.Updates, bindingProto),
		InitializationBinding: mapped(t.Inits, bindingProto),
	}
	if t.Algorithm != nil {
		if p.Algorithm, err = e.inner(t.Algorithm.Body); err != nil {
			return nil, fmt.Errorf("algorithm: %w", err)
		}
		p.Algorithm.Name = &t.Algorithm.Name
	}
	if t.Init != nil {
		outer := e.placed
		e.placed = map[*ir.Value]bool{} // it has no enclosing graph
		defer func() { e.placed = outer }()
		if p.Initialization, err = e.inner(t.Init.Body); err != nil {
			return nil, fmt.Errorf("initialization: %w", err)
		}
		p.Initialization.Name = &t.Init.Name
	}
	return p, nil
}

func bindingProto(b ir.Binding) *onnxpb.StringStringEntryProto {
	return &onnxpb.StringStringEntryProto{Key: &b.To.Name, Value: &b.From.Name}
}
