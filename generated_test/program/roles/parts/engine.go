package parts

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Engine is a backend with three operators on tensors of one shape. It parses only the necessary parts of
// ONNX.
type Engine struct{ graphs []*graph }

type graph struct {
	inputs, outputs []string
	nodes           []node
	values          map[string]*tensor.Tensor
}

type node struct {
	op      string
	in, out []string
}

// Load reads a graph.
func (e *Engine) Load(number int, model []byte) error {
	g := &graph{values: map[string]*tensor.Tensor{}}
	err := fields(model, func(field protowire.Number, b []byte) error { // ModelProto
		if field != 7 {
			return nil
		}
		return fields(b, g.part)
	})
	if err != nil || number != len(e.graphs) {
		return errors.Join(fmt.Errorf("graph %d", number), err)
	}
	e.graphs = append(e.graphs, g)
	return nil
}

// part parses a field of a GraphProto.
func (g *graph) part(field protowire.Number, b []byte) error {
	switch field {
	case 1:
		var n node
		g.nodes = append(g.nodes, n)
		return fields(b, g.nodes[len(g.nodes)-1].part)
	case 11, 12: // ValueInfoProto
		return fields(b, func(f protowire.Number, name []byte) error {
			switch {
			case f == 1 && field == 11:
				g.inputs = append(g.inputs, string(name))
			case f == 1:
				g.outputs = append(g.outputs, string(name))
			}
			return nil
		})
	}
	return nil
}

// part parses a field of a NodeProto.
func (n *node) part(field protowire.Number, b []byte) error {
	switch field {
	case 1:
		n.in = append(n.in, string(b))
	case 2:
		n.out = append(n.out, string(b))
	case 4:
		n.op = string(b)
	}
	return nil
}

// fields calls f for the fields of a message that are bytes.
func fields(b []byte, f func(protowire.Number, []byte) error) error {
	for len(b) > 0 {
		field, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		if typ != protowire.BytesType {
			if n = protowire.ConsumeFieldValue(field, typ, b); n < 0 {
				return protowire.ParseError(n)
			}
			b = b[n:]
			continue
		}
		v, n := protowire.ConsumeBytes(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		if err := f(field, v); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// Run computes a graph, node by node.
func (e *Engine) Run(_ context.Context, number int, inputs ...*tensor.Tensor) error {
	g := e.graphs[number]
	for i, x := range inputs {
		g.values[g.inputs[i]] = x
	}
	for _, n := range g.nodes {
		y, err := g.compute(n)
		if err != nil {
			return fmt.Errorf("%s: %w", n.op, err)
		}
		g.values[n.out[0]] = y
	}
	return nil
}

func (g *graph) compute(n node) (*tensor.Tensor, error) {
	x := g.values[n.in[0]]
	y := tensor.New(tensor.Float32, x.Shape...)
	a, out := tensor.Data[float32](x), tensor.Data[float32](y)
	b := tensor.Data[float32](g.values[n.in[len(n.in)-1]])
	for i := range out {
		switch n.op {
		case "Add":
			out[i] = a[i] + b[i]
		case "Mul":
			out[i] = float32(a[i] * b[i])
		case "Neg":
			out[i] = -a[i]
		default:
			return nil, errors.New("the engine does not know it")
		}
	}
	return y, nil
}

// Retrieve returns an output of the last run of a graph.
func (e *Engine) Retrieve(number, output int) (*tensor.Tensor, error) {
	g := e.graphs[number]
	return g.values[g.outputs[output]], nil
}

// AppendBinary appends nothing, as the engine
// only holds graphs, which are loaded again.
func (e *Engine) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary ignores its argument.
func (e *Engine) UnmarshalBinary([]byte) error { return nil }
