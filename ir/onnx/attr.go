package onnx

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// attrs reads the attributes of a node; graphs become regions.
func (d *decoder) attrs(n *ir.Node, list []*onnxpb.AttributeProto, s *scope) error {
	if _, err := attrNames(mapped(list, (*onnxpb.AttributeProto).GetName)); err != nil {
		return err
	}
	for _, p := range list {
		if err := d.attr(n, p, s); err != nil {
			return fmt.Errorf("attribute %q: %w", p.GetName(), err)
		}
	}
	return nil
}

// maxAttrs limits the attributes of a node; the largest operators have thirty.
const maxAttrs = 1000

// attrNames checks the names of a node's or a function's attributes.
func attrNames(list []string) (map[string]bool, error) {
	if len(list) > maxAttrs {
		return nil, fmt.Errorf("has %d attributes, want at most %d", len(list), maxAttrs)
	}
	seen := map[string]bool{}
	for _, name := range list {
		switch {
		case name == "":
			return nil, errors.New("an attribute has no name")
		case seen[name]:
			return nil, fmt.Errorf("attribute %q is there twice", name)
		case !isPrintable(name):
			return nil, fmt.Errorf("attribute %q is not printable", name)
		}
		seen[name] = true
	}
	return seen, nil
}

func (d *decoder) attr(n *ir.Node, p *onnxpb.AttributeProto, s *scope) error {
	t, err := attrType(p)
	if err != nil {
		return err
	}
	if t == onnxpb.AttributeProto_GRAPH && p.GetRefAttrName() == "" {
		if p.G == nil {
			return errors.New("has no graph")
		}
		r, err := d.graph(p.G, newScope(s))
		if err != nil {
			return err
		}
		r.Name = p.GetName()
		n.Regions = append(n.Regions, r)
		return nil
	}
	v, err := d.attrValue(p)
	if err != nil {
		return err
	}
	n.Attrs.Set(p.GetName(), v)
	return nil
}

// attrValue reads an attribute that is not a graph.
func (d *decoder) attrValue(p *onnxpb.AttributeProto) (any, error) {
	if ref := p.GetRefAttrName(); ref != "" {
		if !d.formal[ref] {
			return nil, fmt.Errorf("refers to %q, which is no attribute of a function around it", ref)
		}
		return ir.Ref(ref), nil
	}
	t, err := attrType(p)
	if err != nil {
		return nil, err
	}
	switch t {
	case onnxpb.AttributeProto_FLOAT:
		return float64(p.GetF()), nil
	case onnxpb.AttributeProto_INT:
		return p.GetI(), nil
	case onnxpb.AttributeProto_STRING:
		return string(p.GetS()), nil
	case onnxpb.AttributeProto_TENSOR:
		return d.tensor(p.GetT())
	case onnxpb.AttributeProto_SPARSE_TENSOR:
		return d.sparse(p.GetSparseTensor())
	case onnxpb.AttributeProto_TYPE_PROTO:
		return d.known(p.GetTp())
	case onnxpb.AttributeProto_FLOATS:
		return mapped(p.Floats, func(f float32) float64 { return float64(f) }), nil
	case onnxpb.AttributeProto_INTS:
		return append([]int64{}, p.Ints...), nil
	case onnxpb.AttributeProto_STRINGS:
		return mapped(p.Strings, func(b []byte) string { return string(b) }), nil
	case onnxpb.AttributeProto_TENSORS:
		return list(p.Tensors, d.tensor)
	case onnxpb.AttributeProto_SPARSE_TENSORS:
		return list(p.SparseTensors, d.sparse)
	default:
		return nil, fmt.Errorf("type %v is not supported", t)
	}
}

// attrType returns the declared type of an attribute or, if there is none, that of the field that is set. A field of
// another type than the declared one is an error; a field that is not set has its default.
func attrType(p *onnxpb.AttributeProto) (onnxpb.AttributeProto_AttributeType, error) {
	declared, set := p.GetType(), setType(p)
	switch {
	case declared == onnxpb.AttributeProto_UNDEFINED:
		return set, nil
	case set != declared && set != onnxpb.AttributeProto_UNDEFINED:
		return declared, fmt.Errorf("is of type %v, and has a value of type %v", declared, set)
	}
	return declared, nil
}

// setType returns the type of the first field with a value.
func setType(p *onnxpb.AttributeProto) onnxpb.AttributeProto_AttributeType {
	switch {
	case p.F != nil:
		return onnxpb.AttributeProto_FLOAT
	case p.I != nil:
		return onnxpb.AttributeProto_INT
	case p.S != nil:
		return onnxpb.AttributeProto_STRING
	case p.T != nil:
		return onnxpb.AttributeProto_TENSOR
	case p.G != nil:
		return onnxpb.AttributeProto_GRAPH
	case p.SparseTensor != nil:
		return onnxpb.AttributeProto_SPARSE_TENSOR
	case p.Tp != nil:
		return onnxpb.AttributeProto_TYPE_PROTO
	case p.Floats != nil:
		return onnxpb.AttributeProto_FLOATS
	case p.Ints != nil:
		return onnxpb.AttributeProto_INTS
	case p.Strings != nil:
		return onnxpb.AttributeProto_STRINGS
	case p.Tensors != nil:
		return onnxpb.AttributeProto_TENSORS
	case p.SparseTensors != nil:
		return onnxpb.AttributeProto_SPARSE_TENSORS
	}
	return onnxpb.AttributeProto_UNDEFINED
}

// mapped converts a slice. The result is not nil.
func mapped[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i, x := range in {
		out[i] = f(x)
	}
	return out
}

func list[P any](in []P, f func(P) (*tensor.Tensor, error)) ([]*tensor.Tensor, error) {
	out := make([]*tensor.Tensor, len(in))
	for i, p := range in {
		t, err := f(p)
		if err != nil {
			return nil, fmt.Errorf("tensor %d: %w", i, err)
		}
		out[i] = t
	}
	return out, nil
}
