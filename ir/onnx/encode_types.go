package onnx

import (
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// typeProto writes a type, or returns nil if not even the element type is known.
func typeProto(t ir.Type) *onnxpb.TypeProto {
	switch t.Kind {
	case ir.Sequence, ir.Optional, ir.Map:
		return containerProto(t)
	case ir.AnyRank:
		return typeProto(*t.Of)
	case ir.Opaque:
		p := &onnxpb.TypeProto_Opaque{Name: &t.Name}
		if i := strings.LastIndexByte(t.Name, '.'); i > 0 {
			p = &onnxpb.TypeProto_Opaque{Domain: proto.String(t.Name[:i]), Name: proto.String(t.Name[i+1:])}
		}
		return &onnxpb.TypeProto{Value: &onnxpb.TypeProto_OpaqueType{OpaqueType: p}}
	}
	if t.Elem == tensor.Undefined {
		return nil
	}
	p := &onnxpb.TypeProto_Tensor{ElemType: proto.Int32(int32(t.Elem))}
	if t.Ranked {
		p.Shape = &onnxpb.TensorShapeProto{Dim: mapped(t.Shape, dimProto)}
	}
	return &onnxpb.TypeProto{Value: &onnxpb.TypeProto_TensorType{TensorType: p}}
}

// containerProto writes the type of a container of values.
func containerProto(t ir.Type) *onnxpb.TypeProto {
	if t.Of == nil {
		return nil
	}
	of := typeProto(*t.Of)
	switch {
	case of == nil:
		return nil
	case t.Kind == ir.Sequence:
		return &onnxpb.TypeProto{Value: &onnxpb.TypeProto_SequenceType{SequenceType: &onnxpb.TypeProto_Sequence{ElemType: of}}}
	case t.Kind == ir.Map:
		return &onnxpb.TypeProto{Value: &onnxpb.TypeProto_MapType{MapType: &onnxpb.TypeProto_Map{KeyType: proto.Int32(int32(t.Key)), ValueType: of}}}
	}
	return &onnxpb.TypeProto{Value: &onnxpb.TypeProto_OptionalType{OptionalType: &onnxpb.TypeProto_Optional{ElemType: of}}}
}

// dimProto writes a dim. ONNX has no arithmetic with symbols, so an expression is written as a name.
func dimProto(d ir.Dim) *onnxpb.TensorShapeProto_Dimension {
	if c, ok := d.Const(); ok {
		return &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: int64(c)}}
	}
	name, ok := d.Symbol()
	if !ok {
		name = d.String()
	}
	return &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: name}}
}
