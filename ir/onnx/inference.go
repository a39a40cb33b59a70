package onnx

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
)

// ForInference returns the ModelProto b with nodes that compute as in training converted to inference: a Dropout drops
// nothing, and a BatchNormalization uses the running statistics. It also returns how many nodes it has converted. If there
// are none, the model is b.
func ForInference(b []byte) (out []byte, nodes int, err error) {
	var m onnxpb.ModelProto
	if err := proto.Unmarshal(b, &m); err != nil {
		return nil, 0, fmt.Errorf("not an ONNX model: %w", err)
	}
	var c converter
	set := versionIn(m.GetOpsetImport())
	c.body(m.GetGraph().GetNode(), mapped(m.GetGraph().GetOutput(), (*onnxpb.ValueInfoProto).GetName), set)
	for _, f := range m.GetFunctions() {
		c.body(f.GetNode(), f.GetOutput(), cmp.Or(versionIn(f.GetOpsetImport()), set))
	}
	if err := errors.Join(c.errs...); err != nil || c.nodes == 0 {
		return b, 0, err
	}
	out, err = proto.MarshalOptions{Deterministic: true}.Marshal(&m)
	return out, c.nodes, err
}

// versionIn returns the version of ONNX's own operators, or 0 if there is no import of them.
func versionIn(imports []*onnxpb.OperatorSetIdProto) int64 {
	for _, s := range imports {
		if s.GetDomain() == "" || s.GetDomain() == "ai.onnx" {
			return s.GetVersion()
		}
	}
	return 0
}

// converter is the state of [ForInference].
type converter struct {
	read  map[string]bool // values of the current body that nodes or outputs read
	nodes int             // that were converted
	errs  []error
}

// body converts the nodes of the model's graph or of a function.
func (c *converter) body(nodes []*onnxpb.NodeProto, outputs []string, set int64) {
	c.read = map[string]bool{}
	for _, name := range outputs {
		c.read[name] = true
	}
	c.note(nodes)
	delete(c.read, "") // a missing input
	c.convert(nodes, set)
}

// note records what nodes and their subgraphs read.
func (c *converter) note(nodes []*onnxpb.NodeProto) {
	for _, n := range nodes {
		for _, name := range n.GetInput() {
			c.read[name] = true
		}
		for _, g := range subgraphs(n) {
			for _, v := range g.GetOutput() {
				c.read[v.GetName()] = true
			}
			c.note(g.GetNode())
		}
	}
}

// convert converts nodes and those of their subgraphs.
func (c *converter) convert(nodes []*onnxpb.NodeProto, set int64) {
	for _, n := range nodes {
		if n.GetDomain() == "" || n.GetDomain() == "ai.onnx" {
			before := proto.Clone(n)
			switch n.GetOpType() {
			case "Dropout":
				dropNothing(n, set)
			case "BatchNormalization":
				c.useRunning(n, set)
			}
			if !proto.Equal(before, n) {
				c.nodes++
			}
		}
		for _, g := range subgraphs(n) {
			c.convert(g.GetNode(), set)
		}
	}
}

// dropNothing converts a Dropout. Before operator set 7 an attribute says that it trains, and from 12 on an input.
func dropNothing(n *onnxpb.NodeProto, set int64) {
	switch {
	case set < 7:
		setTest(n)
	case set >= 12:
		n.Input = n.Input[:min(2, len(n.Input))]
	}
}

// useRunning converts a BatchNormalization. It trains if an attribute says so or, before operator set 14, if it returns
// statistics.
func (c *converter) useRunning(n *onnxpb.NodeProto, set int64) {
	for _, name := range n.Output[min(1, len(n.Output)):] {
		if c.read[name] {
			c.errs = append(c.errs, fmt.Errorf("node %q (BatchNormalization): its statistics %q are read, and inference computes none: remove their reader", n.GetName(), name))
			return
		}
	}
	n.Output = n.Output[:min(1, len(n.Output))]
	n.Attribute = slices.DeleteFunc(n.Attribute, func(a *onnxpb.AttributeProto) bool { return a.GetName() == "training_mode" })
	if set < 7 {
		setTest(n)
	}
}

// setTest sets the attribute is_test of old operator sets.
func setTest(n *onnxpb.NodeProto) {
	const name = "is_test"
	n.Attribute = slices.DeleteFunc(n.Attribute, func(a *onnxpb.AttributeProto) bool { return a.GetName() == name })
	n.Attribute = append(n.Attribute, &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_INT.Enum(), I: proto.Int64(1)})
}
