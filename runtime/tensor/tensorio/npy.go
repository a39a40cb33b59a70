package tensorio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/raw"
)

const npyMagic = "\x93NUMPY"

// npyTypes is numpy's name, without byte order, of each dtype it has.
var npyTypes = map[tensor.DType]string{
	tensor.Bool:       "b1",
	tensor.Int8:       "i1",
	tensor.Int16:      "i2",
	tensor.Int32:      "i4",
	tensor.Int64:      "i8",
	tensor.Uint8:      "u1",
	tensor.Uint16:     "u2",
	tensor.Uint32:     "u4",
	tensor.Uint64:     "u8",
	tensor.Float16:    "f2",
	tensor.Float32:    "f4",
	tensor.Float64:    "f8",
	tensor.Complex64:  "c8",
	tensor.Complex128: "c16",
}

// DecodeNPY reads numpy's .npy. Arrays in Fortran order are transposed.
func DecodeNPY(b []byte) (*tensor.Tensor, error) {
	header, data, err := cutNPY(b)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	t, err := decodeNPY(header, data)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	return t, nil
}

// cutNPY splits a file into its header, a Python literal, and its data.
func cutNPY(b []byte) (header string, data []byte, err error) {
	if len(b) < 8 || string(b[:6]) != npyMagic {
		return "", nil, errors.New(`file does not start with "\x93NUMPY"`)
	}
	major, rest := b[6], b[8:]
	size, n := uint64(0), 4
	switch {
	case major == 1 && len(rest) >= 2:
		size, n = uint64(binary.LittleEndian.Uint16(rest)), 2
	case (major == 2 || major == 3) && len(rest) >= 4:
		size = uint64(binary.LittleEndian.Uint32(rest))
	case major < 1 || major > 3:
		return "", nil, fmt.Errorf("version is %d, want 1 to 3", major)
	default:
		return "", nil, fmt.Errorf("file ends after %d bytes, in the header's length", len(b))
	}
	if rest = rest[n:]; size > uint64(len(rest)) {
		return "", nil, fmt.Errorf("header has %d bytes, want %d", len(rest), size)
	}
	return string(rest[:size]), rest[size:], nil
}

func decodeNPY(header string, data []byte) (*tensor.Tensor, error) {
	h, err := parseNPYHeader(header)
	if err != nil {
		return nil, err
	}
	if s, ok := npyStringOf(h.descr); ok {
		return s.decode(h, data)
	}
	d, err := npyDType(h.descr)
	if err != nil {
		return nil, err
	}
	n, err := tensor.NumElements(h.shape)
	if err != nil {
		return nil, err
	}
	if want := raw.Len(n, d); int64(len(data)) != want {
		return nil, fmt.Errorf("data has %d bytes, want %d for %s", len(data), want, tensor.TypeText(d, h.shape))
	}
	t := tensor.New(d, h.shape...)
	if h.fortran {
		data = rowMajor(data, h.shape, d.Size())
	}
	raw.Fill(t, data)
	return t, nil
}

// npyDType reads a descr such as "<f4" or "|b1".
func npyDType(descr string) (tensor.DType, error) {
	name := strings.TrimLeft(descr, "<|=")
	if strings.HasPrefix(descr, ">") {
		return 0, fmt.Errorf("descr %q is big-endian, want little-endian", descr)
	}
	if name == "O" {
		return 0, fmt.Errorf("descr is %q, Python objects: save strings with astype(str)", descr)
	}
	for d, s := range npyTypes {
		if s == name {
			return d, nil
		}
	}
	return 0, fmt.Errorf("descr is %q, want a bool, integer, float, complex or string type", descr)
}

// AppendNPY appends t as numpy's .npy. It returns an error for what numpy lacks: dtypes such as bfloat16, and
// strings that are not UTF-8 or end with a zero.
func AppendNPY(dst []byte, t *tensor.Tensor) ([]byte, error) {
	if t.DType == tensor.String {
		s, err := npyStringFor(t)
		if err != nil {
			return nil, err
		}
		if dst, err = appendNPYHeader(dst, fmt.Sprintf("<U%d", s.width), t.Shape, 0); err != nil {
			return nil, err
		}
		return s.append(dst, t), nil
	}
	dst, err := AppendNPYHeader(dst, t.DType, t.Shape, 0)
	if err != nil {
		return nil, err
	}
	return raw.Append(dst, t), nil
}

// AppendNPYHeader appends all that stands before the data of an array of numbers, in at least room bytes. A writer
// that learns the shape last leaves room at the beginning of the file, and writes the header there in the end.
func AppendNPYHeader(dst []byte, d tensor.DType, shape []int, room int) ([]byte, error) {
	name, ok := npyTypes[d]
	if !ok {
		return nil, fmt.Errorf("npy has no %v", d)
	}
	order := "<"
	if d.Size() == 1 {
		order = "|"
	}
	return appendNPYHeader(dst, order+name, shape, room)
}

// appendNPYHeader appends the header for a type by numpy's name.
func appendNPYHeader(dst []byte, descr string, shape []int, room int) ([]byte, error) {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, npyShape(shape))
	// Spaces, so that the data starts at a multiple of 64 bytes.
	size := (max(10+len(header)+1, room)+63)/64*64 - 10
	if size > 0xffff {
		return nil, fmt.Errorf("npy has no room for %d dimensions", len(shape))
	}
	dst = append(dst, npyMagic+"\x01\x00"...)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(size))
	return append(dst, header+strings.Repeat(" ", size-len(header)-1)+"\n"...), nil
}

// npyShape returns shape in the form of a Python tuple: "()", "(2,)", "(2, 3)".
func npyShape(shape []int) string {
	var b strings.Builder
	for i, d := range shape {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%d,", d)
	}
	s := b.String()
	if len(shape) > 1 {
		s = strings.TrimSuffix(s, ",")
	}
	return "(" + s + ")"
}
