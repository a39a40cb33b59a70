package protocol

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// message Message
const (
	fieldKind    = 1
	fieldSeq     = 2
	fieldAck     = 3
	fieldTo      = 4
	fieldStream  = 5
	fieldIn      = 6
	fieldOut     = 7
	fieldName    = 8
	fieldDomain  = 9
	fieldVersion = 10
	fieldAttr    = 11
	fieldBlob    = 12
	fieldAddress = 13
	fieldNumber  = 14
	fieldTensor  = 15
	fieldBytes   = 16
	fieldFailure = 17
)

// message Attr
const (
	attrName    = 1
	attrInt     = 2
	attrFloat   = 3
	attrString  = 4
	attrInts    = 5
	attrFloats  = 6
	attrStrings = 7
	attrTensor  = 8
)

// message Type, and message Failure
const (
	typeDType = 1
	typeShape = 2
	typeBytes = 3

	failureCode = 1
	failureOp   = 2
	failureText = 3
)

// Append appends a message.
func Append(b []byte, m *Message) []byte {
	b = appendNumber(b, fieldKind, uint64(m.Kind))
	b = appendNumber(b, fieldSeq, m.Seq)
	b = appendNumber(b, fieldAck, m.Ack)
	b = appendNumber(b, fieldTo, m.To)
	b = appendNumber(b, fieldStream, uint64(m.Stream))
	b = appendNumbers(b, fieldIn, m.In)
	b = appendNumbers(b, fieldOut, m.Out)
	b = appendText(b, fieldName, m.Name)
	b = appendText(b, fieldDomain, m.Domain)
	b = appendNumber(b, fieldVersion, uint64(m.Version))
	for _, a := range m.Attrs {
		b = appendPart(b, fieldAttr, appendAttr(nil, a))
	}
	b = appendText(b, fieldBlob, m.Blob)
	b = appendText(b, fieldAddress, m.Address)
	b = appendNumber(b, fieldNumber, m.Number)
	for _, t := range m.Tensors {
		b = appendPart(b, fieldTensor, appendType(nil, t))
	}
	b = appendNumber(b, fieldBytes, m.Bytes)
	if f := m.Failure; f != nil {
		p := appendNumber(nil, failureCode, uint64(f.Code))
		p = appendText(p, failureOp, f.Op)
		b = appendPart(b, fieldFailure, appendText(p, failureText, f.Text))
	}
	return b
}

func appendAttr(b []byte, a Attr) []byte {
	b = appendText(b, attrName, a.Name)
	switch v := a.Value.(type) {
	case int64:
		return protowire.AppendVarint(protowire.AppendTag(b, attrInt, protowire.VarintType), uint64(v))
	case float64:
		return protowire.AppendFixed64(protowire.AppendTag(b, attrFloat, protowire.Fixed64Type), math.Float64bits(v))
	case string:
		return appendPart(b, attrString, []byte(v))
	case []int64:
		var p []byte
		for _, x := range v {
			p = protowire.AppendVarint(p, uint64(x))
		}
		return appendPart(b, attrInts, p)
	case []float64:
		var p []byte
		for _, x := range v {
			p = protowire.AppendFixed64(p, math.Float64bits(x))
		}
		return appendPart(b, attrFloats, p)
	case []string:
		var p []byte
		for _, x := range v {
			p = appendPart(p, 1, []byte(x))
		}
		return appendPart(b, attrStrings, p)
	case *tensor.Tensor:
		return appendPart(b, attrTensor, tensorio.AppendTensor(nil, "", v))
	}
	panic(fmt.Sprintf("BUG: attribute %q is a %T", a.Name, a.Value))
}

func appendType(b []byte, t Type) []byte {
	b = appendNumber(b, typeDType, uint64(t.DType))
	var shape []uint64
	for _, d := range t.Shape {
		shape = append(shape, uint64(d))
	}
	return appendNumber(appendNumbers(b, typeShape, shape), typeBytes, t.Bytes)
}

func appendNumber(b []byte, field protowire.Number, v uint64) []byte {
	if v == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func appendNumbers(b []byte, field protowire.Number, list []uint64) []byte {
	if len(list) == 0 {
		return b
	}
	var p []byte
	for _, v := range list {
		p = protowire.AppendVarint(p, v)
	}
	return appendPart(b, field, p)
}

func appendText[T ~string | ~[]byte](b []byte, field protowire.Number, s T) []byte {
	if len(s) == 0 {
		return b
	}
	return appendPart(b, field, []byte(s))
}

// appendPart appends bytes, also if there are none.
func appendPart(b []byte, field protowire.Number, p []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), p)
}
