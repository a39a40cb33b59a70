package backend

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// Operation is a node of a graph.
type Operation struct {
	Name    string         // of the node; may be empty
	Type    string         // the operator, such as "MatMul"
	Version int64          // of the operator set
	Attrs   map[string]any // int64, float32, string, *tensor.Tensor, []int64, []float32 or []string; none have a default
	In, Out []string       // names of values; "" is an input that is left out

	last []string // the values that no later node reads
}

// graph is an ONNX model with one graph.
type graph struct {
	inputs, outputs []string
	constants       map[string]*tensor.Tensor
	operations      []Operation
}

// readModel reads the parts of an ONNX model that an engine needs.
func readModel(b []byte) (*graph, error) {
	g, version := &graph{constants: map[string]*tensor.Tensor{}}, int64(0)
	err := fields(b, func(f field) error {
		switch f.number {
		case 7:
			return fields(f.bytes, g.read)
		case 8: // an operator set; all nodes have operators of ONNX
			return fields(f.bytes, func(f field) error {
				if f.number == 2 {
					version = int64(f.bits)
				}
				return nil
			})
		}
		return nil
	})
	for i := range g.operations {
		g.operations[i].Version = version
	}
	g.inputs = slices.DeleteFunc(g.inputs, func(name string) bool { return g.constants[name] != nil })
	g.findLast()
	return g, err
}

// findLast finds the last readers of values.
func (g *graph) findLast() {
	later := map[string]bool{}
	for _, name := range g.outputs {
		later[name] = true
	}
	for i := range slices.Backward(g.operations) {
		o := &g.operations[i]
		for _, name := range o.In {
			if !later[name] && g.constants[name] == nil {
				later[name] = true
				o.last = append(o.last, name)
			}
		}
	}
}

// read reads a field of a GraphProto.
func (g *graph) read(f field) error {
	switch f.number {
	case 1:
		o := Operation{Attrs: map[string]any{}}
		err := fields(f.bytes, o.read)
		g.operations = append(g.operations, o)
		return err
	case 5:
		x, name, err := tensorio.DecodeTensor(f.bytes)
		g.constants[name] = x
		return err
	case 11, 12: // a ValueInfoProto
		list := &g.inputs
		if f.number == 12 {
			list = &g.outputs
		}
		return fields(f.bytes, func(f field) error {
			if f.number == 1 {
				*list = append(*list, string(f.bytes))
			}
			return nil
		})
	}
	return nil
}

// read reads a field of a NodeProto.
func (o *Operation) read(f field) error {
	switch f.number {
	case 1:
		o.In = append(o.In, string(f.bytes))
	case 2:
		o.Out = append(o.Out, string(f.bytes))
	case 3:
		o.Name = string(f.bytes)
	case 4:
		o.Type = string(f.bytes)
	case 5:
		var a attribute
		if err := fields(f.bytes, a.read); err != nil {
			return err
		}
		v, err := a.value()
		if err != nil {
			return fmt.Errorf("node %q (%s): attribute %q: %w", o.Name, o.Type, a.name, err)
		}
		o.Attrs[a.name] = v
	}
	return nil
}

// attribute is an AttributeProto.
type attribute struct {
	name    string
	kind    uint64
	float   float32
	integer int64
	text    string
	tensor  *tensor.Tensor
	floats  []float32
	ints    []int64
	strings []string
}

func (a *attribute) read(f field) (err error) {
	switch f.number {
	case 1:
		a.name = string(f.bytes)
	case 2:
		a.float = math.Float32frombits(uint32(f.bits))
	case 3:
		a.integer = int64(f.bits)
	case 4:
		a.text = string(f.bytes)
	case 5:
		a.tensor, _, err = tensorio.DecodeTensor(f.bytes)
	case 7:
		err = f.each(protowire.Fixed32Type, func(v uint64) { a.floats = append(a.floats, math.Float32frombits(uint32(v))) })
	case 8:
		err = f.each(protowire.VarintType, func(v uint64) { a.ints = append(a.ints, int64(v)) })
	case 9:
		a.strings = append(a.strings, string(f.bytes))
	case 20:
		a.kind = f.bits
	}
	return err
}

var errAttribute = errors.New("engines get numbers, strings, tensors and lists, no graphs")

// value returns the value of the attribute's kind.
func (a *attribute) value() (any, error) {
	switch a.kind {
	case 1:
		return a.float, nil
	case 2:
		return a.integer, nil
	case 3:
		return a.text, nil
	case 4:
		return a.tensor, nil
	case 6:
		return a.floats, nil
	case 7:
		return a.ints, nil
	case 8:
		return a.strings, nil
	}
	return nil, errAttribute
}

// field is a field of a message.
type field struct {
	number protowire.Number
	kind   protowire.Type
	bytes  []byte
	bits   uint64
}

// fields calls read for each field of a message.
func fields(b []byte, read func(field) error) error {
	for len(b) > 0 {
		f, n := field{}, 0
		if f.number, f.kind, n = protowire.ConsumeTag(b); n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		if n = f.consume(b); n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		if err := read(f); err != nil {
			return err
		}
	}
	return nil
}

// consume reads the value at the beginning of b.
func (f *field) consume(b []byte) (n int) {
	switch f.kind {
	case protowire.BytesType:
		f.bytes, n = protowire.ConsumeBytes(b)
	case protowire.VarintType:
		f.bits, n = protowire.ConsumeVarint(b)
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(b)
		f.bits = uint64(v)
	default:
		n = protowire.ConsumeFieldValue(f.number, f.kind, b)
	}
	return n
}

// each calls read for the elements of a repeated field, which may be packed.
func (f field) each(kind protowire.Type, read func(uint64)) error {
	if f.kind != protowire.BytesType {
		read(f.bits)
		return nil
	}
	for b := f.bytes; len(b) > 0; {
		e := field{number: f.number, kind: kind}
		n := e.consume(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		read(e.bits)
		b = b[n:]
	}
	return nil
}
