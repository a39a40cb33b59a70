package backend

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime/internal/protofield"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// Operation is a node of a graph.
type Operation struct {
	Name    string         // of the node; may be empty
	Type    string         // the operator, such as "MatMul"
	Version int64          // of the operator set
	Attrs   map[string]any // int64, float32, string, *tensor.Tensor, []int64, []float32 or []string; none have a default
	In, Out []string       // names of values; "" is one that is left out

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
	err := protofield.Each(b, func(f protofield.Field) error {
		switch f.Num {
		case 7:
			return protofield.Each(f.Bytes, g.read)
		case 8: // an operator set; all nodes have operators of ONNX
			return protofield.Each(f.Bytes, func(f protofield.Field) error {
				if f.Num == 2 {
					version = int64(f.Bits)
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
func (g *graph) read(f protofield.Field) error {
	switch f.Num {
	case 1:
		o := Operation{Attrs: map[string]any{}}
		err := protofield.Each(f.Bytes, o.read)
		g.operations = append(g.operations, o)
		return err
	case 5:
		x, name, err := tensorio.DecodeTensor(f.Bytes)
		g.constants[name] = x
		return err
	case 11, 12: // a ValueInfoProto
		list := &g.inputs
		if f.Num == 12 {
			list = &g.outputs
		}
		return protofield.Each(f.Bytes, func(f protofield.Field) error {
			if f.Num == 1 {
				*list = append(*list, string(f.Bytes))
			}
			return nil
		})
	}
	return nil
}

// read reads a field of a NodeProto.
func (o *Operation) read(f protofield.Field) error {
	switch f.Num {
	case 1:
		o.In = append(o.In, string(f.Bytes))
	case 2:
		o.Out = append(o.Out, string(f.Bytes))
	case 3:
		o.Name = string(f.Bytes)
	case 4:
		o.Type = string(f.Bytes)
	case 5:
		var a attribute
		if err := protofield.Each(f.Bytes, a.read); err != nil {
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

func (a *attribute) read(f protofield.Field) (err error) {
	switch f.Num {
	case 1:
		a.name = string(f.Bytes)
	case 2:
		a.float = math.Float32frombits(uint32(f.Bits))
	case 3:
		a.integer = int64(f.Bits)
	case 4:
		a.text = string(f.Bytes)
	case 5:
		a.tensor, _, err = tensorio.DecodeTensor(f.Bytes)
	case 7:
		a.floats, err = protofield.AppendFloats(a.floats, "floats", f)
	case 8:
		a.ints, err = protofield.AppendVarints(a.ints, "ints", f)
	case 9:
		a.strings = append(a.strings, string(f.Bytes))
	case 20:
		a.kind = f.Bits
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
