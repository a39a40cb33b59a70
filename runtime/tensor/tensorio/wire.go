package tensorio

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is one field of a message: bits for the numeric wire types, bytes
// (borrowed from the message) for the length-delimited one.
type field struct {
	num   protowire.Number
	typ   protowire.Type
	bits  uint64
	bytes []byte
}

// eachField visits the fields of message b in order. Groups, which ONNX does
// not use, are skipped.
func eachField(b []byte, visit func(field) error) error {
	for size := len(b); len(b) > 0; {
		at := size - len(b)
		f, n := consumeField(b)
		if n < 0 {
			return fmt.Errorf("byte %d of %d: %w", at, size, protowire.ParseError(n))
		}
		b = b[n:]
		if f.typ == protowire.StartGroupType {
			continue
		}
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}

// consumeField is the first field of b and its length, below 0 if malformed.
func consumeField(b []byte) (f field, n int) {
	num, typ, n := protowire.ConsumeTag(b)
	if n < 0 {
		return field{}, n
	}
	f, m := field{num: num, typ: typ}, 0
	switch typ {
	case protowire.VarintType:
		f.bits, m = protowire.ConsumeVarint(b[n:])
	case protowire.Fixed32Type:
		var v uint32
		v, m = protowire.ConsumeFixed32(b[n:])
		f.bits = uint64(v)
	case protowire.Fixed64Type:
		f.bits, m = protowire.ConsumeFixed64(b[n:])
	case protowire.BytesType:
		f.bytes, m = protowire.ConsumeBytes(b[n:])
	default:
		m = protowire.ConsumeFieldValue(num, typ, b[n:])
	}
	if m < 0 {
		return field{}, m
	}
	return f, n + m
}

// want checks the wire type of f, which name describes.
func (f field) want(name string, typ protowire.Type) error {
	if f.typ != typ {
		return fmt.Errorf("%s has wire type %d, want %d", name, f.typ, typ)
	}
	return nil
}

// appendVarints appends the integers in f, which is packed or a single one.
func appendVarints[T int32 | int64 | uint64](dst []T, name string, f field) ([]T, error) {
	if f.typ == protowire.VarintType {
		return append(dst, T(f.bits)), nil
	}
	if err := f.want(name, protowire.BytesType); err != nil {
		return nil, err
	}
	count := 0
	for _, c := range f.bytes {
		if c < 0x80 { // the last byte of a varint
			count++
		}
	}
	dst = slices.Grow(dst, count)
	for b := f.bytes; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return nil, fmt.Errorf("%s: %w", name, protowire.ParseError(n))
		}
		dst, b = append(dst, T(v)), b[n:]
	}
	return dst, nil
}

// appendFloats appends the floats in f, which is packed or a single one.
func appendFloats(dst []float32, name string, f field) ([]float32, error) {
	if f.typ == protowire.Fixed32Type {
		return append(dst, math.Float32frombits(uint32(f.bits))), nil
	}
	if err := f.want(name, protowire.BytesType); err != nil {
		return nil, err
	}
	if len(f.bytes)%4 != 0 {
		return nil, fmt.Errorf("%s has %d bytes, want a multiple of 4", name, len(f.bytes))
	}
	dst = slices.Grow(dst, len(f.bytes)/4)
	for b := f.bytes; len(b) > 0; b = b[4:] {
		dst = append(dst, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return dst, nil
}

// appendDoubles appends the doubles in f, which is packed or a single one.
func appendDoubles(dst []float64, name string, f field) ([]float64, error) {
	if f.typ == protowire.Fixed64Type {
		return append(dst, math.Float64frombits(f.bits)), nil
	}
	if err := f.want(name, protowire.BytesType); err != nil {
		return nil, err
	}
	if len(f.bytes)%8 != 0 {
		return nil, fmt.Errorf("%s has %d bytes, want a multiple of 8", name, len(f.bytes))
	}
	dst = slices.Grow(dst, len(f.bytes)/8)
	for b := f.bytes; len(b) > 0; b = b[8:] {
		dst = append(dst, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return dst, nil
}

// appendMessage appends field num, a message or a string of bytes.
func appendMessage(dst []byte, num protowire.Number, msg []byte) []byte {
	dst = protowire.AppendTag(dst, num, protowire.BytesType)
	return protowire.AppendBytes(dst, msg)
}

// appendInt appends field num, an integer.
func appendInt(dst []byte, num protowire.Number, v uint64) []byte {
	dst = protowire.AppendTag(dst, num, protowire.VarintType)
	return protowire.AppendVarint(dst, v)
}
