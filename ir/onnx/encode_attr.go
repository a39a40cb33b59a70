package onnx

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// attr writes an attribute of a node.
func (e *encoder) attr(a ir.Attr) (*onnxpb.AttributeProto, error) {
	p := &onnxpb.AttributeProto{Name: &a.Name}
	if ref, ok := a.Value.(ir.Ref); ok {
		p.RefAttrName = (*string)(&ref)
		p.Type = e.refType(string(ref)).Enum()
		return p, nil
	}
	t, err := setAttr(p, a.Value)
	p.Type = t.Enum()
	return p, err
}

// setAttr sets the field for the value's type, and returns the type.
func setAttr(p *onnxpb.AttributeProto, v any) (t onnxpb.AttributeProto_AttributeType, err error) {
	switch v := v.(type) {
	case float64:
		p.F = proto.Float32(float32(v))
	case int64:
		p.I = &v
	case string:
		p.S = []byte(v)
	case *tensor.Tensor:
		p.T, err = tensorProto("", v)
	case ir.Type:
		if p.Tp = typeProto(v); p.Tp == nil {
			err = fmt.Errorf("type %s says too little", v)
		}
	case []float64:
		p.Floats = mapped(v, func(f float64) float32 { return float32(f) })
	case []int64:
		p.Ints = v
	case []string:
		p.Strings = mapped(v, func(s string) []byte { return []byte(s) })
	case []*tensor.Tensor:
		p.Tensors, err = tensorProtos(v)
	}
	return typeOfAttr(v), err
}

// typeOfAttr returns ONNX's type of an attribute's value.
func typeOfAttr(v any) onnxpb.AttributeProto_AttributeType {
	switch v.(type) {
	case float64:
		return onnxpb.AttributeProto_FLOAT
	case int64:
		return onnxpb.AttributeProto_INT
	case string:
		return onnxpb.AttributeProto_STRING
	case *tensor.Tensor:
		return onnxpb.AttributeProto_TENSOR
	case ir.Type:
		return onnxpb.AttributeProto_TYPE_PROTO
	case []float64:
		return onnxpb.AttributeProto_FLOATS
	case []int64:
		return onnxpb.AttributeProto_INTS
	case []string:
		return onnxpb.AttributeProto_STRINGS
	case []*tensor.Tensor:
		return onnxpb.AttributeProto_TENSORS
	}
	return onnxpb.AttributeProto_UNDEFINED
}

// refType returns the type of an attribute of the current function: that of its default, or of a caller's
// value.
func (e *encoder) refType(name string) onnxpb.AttributeProto_AttributeType {
	t := onnxpb.AttributeProto_UNDEFINED
	if e.f == nil {
		return t
	}
	if v := e.f.Defaults.Lookup(name); v != nil {
		return typeOfAttr(v)
	}
	for _, f := range e.m.AllFuncs() {
		f.Body.Walk(func(n *ir.Node) {
			if n.Local && (funcID{n.Domain, n.Op, n.Over}) == idOf(e.f) && n.Has(name) {
				t = max(t, typeOfAttr(n.Attrs.Lookup(name)))
			}
		})
	}
	return t
}

// tensorProto writes a tensor. Elements other than strings are written as raw_data.
func tensorProto(name string, t *tensor.Tensor) (*onnxpb.TensorProto, error) {
	if t == nil {
		return nil, errors.New("has no content")
	}
	p := &onnxpb.TensorProto{}
	return p, proto.Unmarshal(tensorio.AppendTensor(nil, name, t), p)
}

func tensorProtos(list []*tensor.Tensor) ([]*onnxpb.TensorProto, error) {
	out := make([]*onnxpb.TensorProto, len(list))
	for i, t := range list {
		p, err := tensorProto("", t)
		if err != nil {
			return nil, fmt.Errorf("tensor %d: %w", i, err)
		}
		out[i] = p
	}
	return out, nil
}
