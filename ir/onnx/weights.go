package onnx

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/raw"
)

// The numbers of the fields of ONNX's messages that lead to a weight.
const (
	modelGraph = 7

	graphNode        = 1
	graphInitializer = 5

	nodeOutput    = 2
	nodeOpType    = 4
	nodeAttribute = 5

	attributeTensor = 5

	tensorDims         = 1
	tensorDataType     = 2
	tensorName         = 8
	tensorRawData      = 9
	tensorExternalData = 13
	entryKey           = 1
	entryValue         = 2
)

// tensorData are the fields of TensorProto that hold elements or their location.
var tensorData = []protowire.Number{4, 5, 6, 7, tensorRawData, 10, 11, tensorExternalData, 14}

// ReplaceWeights returns the ModelProto b with new elements for the initializers and constants named in
// weights. Dtypes and shapes must be the same. All other bytes are unchanged, as b is not decoded and encoded
// again. It also returns the locations of external data that the model still needs.
func ReplaceWeights(b []byte, weights map[string]*tensor.Tensor) (out []byte, external []string, err error) {
	r := &replacer{weights: weights, left: maps.Clone(weights), locations: map[string]bool{}}
	out, err = edit(b, modelGraph, r.graph)
	if err != nil {
		return nil, nil, fmt.Errorf("not an ONNX model: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(r.left)) {
		r.errs = append(r.errs, fmt.Errorf("weight %q: the model has none of this name", name))
	}
	if len(r.errs) > 0 {
		return nil, nil, errors.Join(r.errs...)
	}
	if len(out) > math.MaxInt32 {
		return nil, nil, fmt.Errorf("the model would have %d bytes, ONNX allows %d in a file", len(out), math.MaxInt32)
	}
	return out, slices.Sorted(maps.Keys(r.locations)), nil
}

// replacer is the state of [ReplaceWeights].
type replacer struct {
	weights   map[string]*tensor.Tensor
	left      map[string]*tensor.Tensor // weights that have not been found yet
	locations map[string]bool           // of external data that are still used
	errs      []error                   // weights that do not match
}

// wireField is one encoded field of a message.
type wireField struct {
	num     protowire.Number
	whole   []byte // with its tag
	content []byte // of a message or a string of bytes; nil for other fields
	value   uint64 // of a varint
}

// fields splits a message into its fields.
func fields(b []byte) ([]wireField, error) {
	var out []wireField
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		m := protowire.ConsumeFieldValue(num, typ, b[n:])
		if m < 0 {
			return nil, protowire.ParseError(m)
		}
		f := wireField{num: num, whole: b[:n+m]}
		switch typ {
		case protowire.BytesType:
			f.content, _ = protowire.ConsumeBytes(b[n:])
		case protowire.VarintType:
			f.value, _ = protowire.ConsumeVarint(b[n:])
		}
		out = append(out, f)
		b = b[n+m:]
	}
	return out, nil
}

// edit replaces the content of every field num of a message by the result of change.
func edit(b []byte, num protowire.Number, change func([]byte) ([]byte, error)) ([]byte, error) {
	list, err := fields(b)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(b))
	for _, f := range list {
		if f.num != num || f.content == nil {
			out = append(out, f.whole...)
			continue
		}
		content, err := change(f.content)
		if err != nil {
			return nil, err
		}
		out = protowire.AppendTag(out, num, protowire.BytesType)
		out = protowire.AppendBytes(out, content)
	}
	return out, nil
}

func (r *replacer) graph(b []byte) ([]byte, error) {
	b, err := edit(b, graphInitializer, func(b []byte) ([]byte, error) { return r.tensor(b, "") })
	if err != nil {
		return nil, err
	}
	return edit(b, graphNode, r.node)
}

// node replaces the tensor of a Constant, which has the name of the node's output.
func (r *replacer) node(b []byte) ([]byte, error) {
	list, err := fields(b)
	if err != nil {
		return nil, err
	}
	op, output := "", ""
	for _, f := range list {
		switch f.num {
		case nodeOpType:
			op = string(f.content)
		case nodeOutput:
			output = string(f.content)
		}
	}
	if op != "Constant" || output == "" {
		return b, nil
	}
	return edit(b, nodeAttribute, func(b []byte) ([]byte, error) {
		return edit(b, attributeTensor, func(b []byte) ([]byte, error) { return r.tensor(b, output) })
	})
}

// tensor replaces the elements of a TensorProto. Its name is its own unless one is given.
func (r *replacer) tensor(b []byte, name string) ([]byte, error) {
	list, err := fields(b)
	if err != nil {
		return nil, err
	}
	var shape []int
	var dtype tensor.DType
	for _, f := range list {
		switch {
		case f.num == tensorName && name == "":
			name = string(f.content)
		case f.num == tensorDataType:
			dtype = tensor.DType(f.value)
		case f.num == tensorDims && f.content == nil:
			shape = append(shape, ir.Int(int64(f.value)))
		case f.num == tensorDims:
			for c := f.content; len(c) > 0; {
				v, n := protowire.ConsumeVarint(c)
				if n < 0 {
					return nil, protowire.ParseError(n)
				}
				shape, c = append(shape, ir.Int(int64(v))), c[n:]
			}
		}
	}
	w := r.weights[name]
	if w == nil {
		return b, r.note(list)
	}
	delete(r.left, name)
	if w.DType != dtype || !slices.Equal(w.Shape, shape) {
		r.errs = append(r.errs, fmt.Errorf("weight %q: is %v, the model's is %v%v", name, w, dtype, shape))
		return b, nil
	}
	return withElements(list, w), nil
}

// note records the location of a tensor's external data.
func (r *replacer) note(list []wireField) error {
	for _, f := range list {
		if f.num != tensorExternalData {
			continue
		}
		entry, err := fields(f.content)
		if err != nil {
			return err
		}
		if entryOf(entry, entryKey) == "location" {
			r.locations[entryOf(entry, entryValue)] = true
		}
	}
	return nil
}

// withElements returns a TensorProto with its elements replaced by those of w.
func withElements(list []wireField, w *tensor.Tensor) []byte {
	var out []byte
	written := false
	write := func() {
		if !written {
			out = protowire.AppendTag(out, tensorRawData, protowire.BytesType)
			out = protowire.AppendVarint(out, uint64(raw.Len(w.Len(), w.DType)))
			out = raw.Append(out, w)
		}
		written = true
	}
	for _, f := range list {
		if slices.Contains(tensorData, f.num) {
			write()
		} else {
			out = append(out, f.whole...)
		}
	}
	write()
	return out
}
