package onnx

import (
	"cmp"
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
	tensorDataLocation = 14
	entryKey           = 1
	entryValue         = 2
)

// tensorData are the fields of TensorProto that hold elements or their location.
var tensorData = []protowire.Number{4, 5, 6, 7, tensorRawData, 10, 11, tensorExternalData, tensorDataLocation}

// ReplaceWeights returns the ModelProto b with new elements for the initializers and constants named in
// weights. Dtypes and shapes must be the same. All other bytes are unchanged, as b is not decoded and encoded
// again. It also returns the locations of external data that the model still needs.
func ReplaceWeights(b []byte, weights map[string]*tensor.Tensor) (out []byte, external []string, err error) {
	r := &replacer{weights: weights, left: maps.Clone(weights)}
	model, err := edit(b, edits{modelGraph: r.graph})
	if err != nil {
		return nil, nil, notAModel(err)
	}
	for _, name := range slices.Sorted(maps.Keys(r.left)) {
		r.errs = append(r.errs, fmt.Errorf("weight %q: the model has none of this name", name))
	}
	if len(r.errs) > 0 {
		return nil, nil, errors.Join(r.errs...)
	}
	if model.size > math.MaxInt32 {
		return nil, nil, fmt.Errorf("the model would have %d bytes, ONNX allows %d in a file", model.size, math.MaxInt32)
	}
	out = model.bytes()
	if external, err = locations(out); err != nil {
		return nil, nil, notAModel(err)
	}
	return out, external, nil
}

func notAModel(err error) error { return fmt.Errorf("not an ONNX model: %w", err) }

// replacer is the state of [ReplaceWeights].
type replacer struct {
	weights map[string]*tensor.Tensor
	left    map[string]*tensor.Tensor // weights that have not been found yet
	errs    []error                   // weights that do not match
}

func (r *replacer) graph(b []byte) (parts, error) {
	return edit(b, edits{graphNode: r.node, graphInitializer: func(b []byte) (parts, error) { return r.tensor(b, "") }})
}

// node replaces the tensor of a Constant, which has the name of the node's output.
func (r *replacer) node(b []byte) (parts, error) {
	list, err := fields(b)
	if err != nil {
		return parts{}, err
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
		return unchanged(b), nil
	}
	value := edits{attributeTensor: func(b []byte) (parts, error) { return r.tensor(b, output) }}
	return edit(b, edits{nodeAttribute: func(b []byte) (parts, error) { return edit(b, value) }})
}

// tensor replaces the elements of a TensorProto. Its name is its own unless one is given.
func (r *replacer) tensor(b []byte, name string) (parts, error) {
	list, err := fields(b)
	if err != nil {
		return parts{}, err
	}
	own, dtype, shape, err := head(list)
	if err != nil {
		return parts{}, err
	}
	name = cmp.Or(name, own)
	w := r.weights[name]
	if w == nil {
		return unchanged(b), nil
	}
	delete(r.left, name)
	if w.DType != dtype || !slices.Equal(w.Shape, shape) {
		r.errs = append(r.errs, fmt.Errorf("weight %q: is %v, the model's is %s", name, w, tensor.TypeText(dtype, shape)))
		return unchanged(b), nil
	}
	return withElements(list, w), nil
}

func unchanged(b []byte) parts { return parts{[][]byte{b}, len(b)} }

// head returns the name, the dtype and the shape in the fields of a TensorProto.
func head(list []wireField) (name string, dtype tensor.DType, shape []int, err error) {
	for _, f := range list {
		switch {
		case f.num == tensorName:
			name = string(f.content)
		case f.num == tensorDataType:
			dtype = tensor.DType(f.value)
		case f.num == tensorDims && f.content == nil:
			shape = append(shape, ir.Int(int64(f.value)))
		case f.num == tensorDims:
			for c := f.content; len(c) > 0; {
				v, n := protowire.ConsumeVarint(c)
				if n < 0 {
					return "", 0, nil, protowire.ParseError(n)
				}
				shape, c = append(shape, ir.Int(int64(v))), c[n:]
			}
		}
	}
	return name, dtype, shape, nil
}

// withElements returns a TensorProto with its elements replaced by those of w. They take the place of the first field
// with elements.
func withElements(list []wireField, w *tensor.Tensor) parts {
	var out parts
	at := slices.IndexFunc(list, holdsElements)
	if at < 0 {
		at = len(list)
	}
	for _, f := range list[:at] {
		out.add(f.whole)
	}
	out.addField(tensorRawData, unchanged(raw.Bytes(w)))
	for _, f := range list[at:] {
		if !holdsElements(f) {
			out.add(f.whole)
		}
	}
	return out
}

func holdsElements(f wireField) bool { return slices.Contains(tensorData, f.num) }
