// Package protofield reads the fields of protobuf messages by number, without generated code or a schema.
package protofield

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field is one field of a message: bits for the numeric wire types, bytes
// (borrowed from the message) for the length-delimited one.
type Field struct {
	Num   protowire.Number
	Type  protowire.Type
	Bits  uint64
	Bytes []byte
}

// Each visits the fields of message b in order. Groups, which ONNX does
// not use, are skipped.
func Each(b []byte, visit func(Field) error) error {
	for size := len(b); len(b) > 0; {
		at := size - len(b)
		f, n := consume(b)
		if n < 0 {
			return fmt.Errorf("byte %d of %d: %w", at, size, protowire.ParseError(n))
		}
		b = b[n:]
		if f.Type == protowire.StartGroupType {
			continue
		}
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}

// consume is the first field of b and its length, below 0 if malformed.
func consume(b []byte) (f Field, n int) {
	num, typ, n := protowire.ConsumeTag(b)
	if n < 0 {
		return Field{}, n
	}
	f, m := Field{Num: num, Type: typ}, 0
	switch typ {
	case protowire.VarintType:
		f.Bits, m = protowire.ConsumeVarint(b[n:])
	case protowire.Fixed32Type:
		var v uint32
		v, m = protowire.ConsumeFixed32(b[n:])
		f.Bits = uint64(v)
	case protowire.Fixed64Type:
		f.Bits, m = protowire.ConsumeFixed64(b[n:])
	case protowire.BytesType:
		f.Bytes, m = protowire.ConsumeBytes(b[n:])
	default:
		m = protowire.ConsumeFieldValue(num, typ, b[n:])
	}
	if m < 0 {
		return Field{}, m
	}
	return f, n + m
}

// Want checks the wire type of f, which name describes.
func (f Field) Want(name string, typ protowire.Type) error {
	if f.Type != typ {
		return fmt.Errorf("%s has wire type %d, want %d", name, f.Type, typ)
	}
	return nil
}

// AppendVarints appends the integers in f, which is packed or a single one.
func AppendVarints[T int32 | int64 | uint64](dst []T, name string, f Field) ([]T, error) {
	if f.Type == protowire.VarintType {
		return append(dst, T(f.Bits)), nil
	}
	if err := f.Want(name, protowire.BytesType); err != nil {
		return nil, err
	}
	count := 0
	for _, c := range f.Bytes {
		if c < 0x80 { // the last byte of a varint
			count++
		}
	}
	dst = slices.Grow(dst, count)
	for b := f.Bytes; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return nil, fmt.Errorf("%s: %w", name, protowire.ParseError(n))
		}
		dst, b = append(dst, T(v)), b[n:]
	}
	return dst, nil
}

// AppendFloats appends the floats in f, which is packed or a single one.
func AppendFloats(dst []float32, name string, f Field) ([]float32, error) {
	if f.Type == protowire.Fixed32Type {
		return append(dst, math.Float32frombits(uint32(f.Bits))), nil
	}
	if err := f.Want(name, protowire.BytesType); err != nil {
		return nil, err
	}
	if len(f.Bytes)%4 != 0 {
		return nil, fmt.Errorf("%s has %d bytes, want a multiple of 4", name, len(f.Bytes))
	}
	dst = slices.Grow(dst, len(f.Bytes)/4)
	for b := f.Bytes; len(b) > 0; b = b[4:] {
		dst = append(dst, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return dst, nil
}

// AppendDoubles appends the doubles in f, which is packed or a single one.
func AppendDoubles(dst []float64, name string, f Field) ([]float64, error) {
	if f.Type == protowire.Fixed64Type {
		return append(dst, math.Float64frombits(f.Bits)), nil
	}
	if err := f.Want(name, protowire.BytesType); err != nil {
		return nil, err
	}
	if len(f.Bytes)%8 != 0 {
		return nil, fmt.Errorf("%s has %d bytes, want a multiple of 8", name, len(f.Bytes))
	}
	dst = slices.Grow(dst, len(f.Bytes)/8)
	for b := f.Bytes; len(b) > 0; b = b[8:] {
		dst = append(dst, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return dst, nil
}
