package onnx

import (
	"encoding/json"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/bbgen/bbgen/artifact/keys"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Normalize returns the ModelProto b with (x - mean) / std in place of its first input x. The mean and the
// deviation are scalars, or have one value for each channel or column, which is the axis after the batch.
// Training does not change them.
func Normalize(b []byte, mean, std []float32) ([]byte, error) {
	var m onnxpb.ModelProto
	if err := proto.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("not an ONNX model: %w", err)
	}
	x, err := firstInput(m.GetGraph())
	if err != nil {
		return nil, err
	}
	elem := tensor.DType(x.GetType().GetTensorType().GetElemType())
	shape, repeat, err := channelShape(x, len(mean))
	if err != nil {
		return nil, err
	}
	n := normalizer{graph: m.Graph, taken: map[string]bool{}}
	n.note(m.Graph)
	from := x.GetName()
	meanName, stdName := n.name(from+"_mean"), n.name(from+"_std")
	centered, normalized := n.name(from+"_centered"), n.name(from+"_normalized")
	rename(m.Graph, from, normalized)
	m.Graph.Node = slices.Concat([]*onnxpb.NodeProto{
		{OpType: proto.String("Sub"), Name: &centered, Input: []string{from, meanName}, Output: []string{centered}},
		{OpType: proto.String("Div"), Name: &normalized, Input: []string{centered, stdName}, Output: []string{normalized}},
	}, m.Graph.Node)
	for _, c := range []struct {
		name   string
		values []float32
	}{{meanName, mean}, {stdName, std}} {
		t, err := constant(c.name, elem, shape, repeated(c.values, repeat))
		if err != nil {
			return nil, fmt.Errorf("input %s: %w", from, err)
		}
		m.Graph.Initializer = append(m.Graph.Initializer, t)
	}
	if err := freeze(&m, meanName, stdName); err != nil {
		return nil, err
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(&m)
}

// firstInput returns the first input of a graph that is not an initializer.
func firstInput(g *onnxpb.GraphProto) (*onnxpb.ValueInfoProto, error) {
	for _, v := range g.GetInput() {
		if !slices.ContainsFunc(g.GetInitializer(), func(t *onnxpb.TensorProto) bool { return t.GetName() == v.GetName() }) {
			return v, nil
		}
	}
	return nil, fmt.Errorf("the model has no input")
}

// channelShape returns a shape for one value per channel that broadcasts to the input. If the input has
// channels and pixels on one axis, each value must be repeated repeat times.
func channelShape(x *onnxpb.ValueInfoProto, channels int) (shape []int64, repeat int, err error) {
	if channels == 1 {
		return nil, 1, nil
	}
	dims := x.GetType().GetTensorType().GetShape().GetDim()
	if len(dims) < 2 {
		return nil, 0, fmt.Errorf("input %s has %d axes, want 2 or more for %d means", x.GetName(), len(dims), channels)
	}
	size := int(dims[1].GetDimValue()) // 0 if it varies
	switch {
	case size == 0 || size == channels:
		size, repeat = channels, 1
	case len(dims) == 2 && size%channels == 0:
		repeat = size / channels
	default:
		return nil, 0, fmt.Errorf("input %s has %d channels, want one for each of %d means", x.GetName(), size, channels)
	}
	shape = []int64{int64(size)}
	for range dims[2:] {
		shape = append(shape, 1)
	}
	return shape, repeat, nil
}

func repeated(values []float32, n int) []float32 {
	var out []float32
	for _, v := range values {
		out = append(out, slices.Repeat([]float32{v}, n)...)
	}
	return out
}

// constant returns an initializer of a type of floats.
func constant(name string, elem tensor.DType, shape []int64, values []float32) (*onnxpb.TensorProto, error) {
	t := &onnxpb.TensorProto{Name: &name, Dims: shape, DataType: proto.Int32(int32(elem))}
	for _, v := range values {
		switch elem {
		case tensor.Float32:
			t.FloatData = append(t.FloatData, v)
		case tensor.Float64:
			t.DoubleData = append(t.DoubleData, float64(v))
		case tensor.Float16:
			t.Int32Data = append(t.Int32Data, int32(tensor.ToFloat16(v)))
		case tensor.BFloat16:
			t.Int32Data = append(t.Int32Data, int32(tensor.ToBFloat16(v)))
		default:
			return nil, fmt.Errorf("is of %v, only floats can be normalized", elem)
		}
	}
	return t, nil
}

// freeze adds names to the initializers that training does not change.
func freeze(m *onnxpb.ModelProto, names ...string) error {
	var all []string
	if text := prop(m.MetadataProps, keys.Frozen); text != "" {
		if err := json.Unmarshal([]byte(text), &all); err != nil {
			return fmt.Errorf("metadata %s: %w", keys.Frozen, err)
		}
	}
	b, err := json.Marshal(append(all, names...))
	if err != nil {
		return err
	}
	m.MetadataProps = slices.DeleteFunc(m.MetadataProps, func(kv *onnxpb.StringStringEntryProto) bool { return kv.GetKey() == keys.Frozen })
	addProp(&m.MetadataProps, keys.Frozen, string(b))
	return nil
}

// normalizer finds unused names in a graph.
type normalizer struct {
	graph *onnxpb.GraphProto
	taken map[string]bool
}

// note records the names in a graph and its subgraphs.
func (n *normalizer) note(g *onnxpb.GraphProto) {
	for _, v := range slices.Concat(g.GetInput(), g.GetOutput()) {
		n.taken[v.GetName()] = true
	}
	for _, t := range g.GetInitializer() {
		n.taken[t.GetName()] = true
	}
	for _, t := range g.GetSparseInitializer() {
		n.taken[t.GetValues().GetName()] = true
	}
	for _, node := range g.GetNode() {
		n.taken[node.GetName()] = true
		for _, name := range node.GetOutput() {
			n.taken[name] = true
		}
		for _, inner := range subgraphs(node) {
			n.note(inner)
		}
	}
}

// name returns want, or want with a number.
func (n *normalizer) name(want string) string {
	name := want
	for i := 2; n.taken[name]; i++ {
		name = fmt.Sprintf("%s_%d", want, i)
	}
	n.taken[name] = true
	return name
}

// rename makes the nodes of a graph and its subgraphs read another value, and the subgraphs return it. Graphs do not
// shadow names of enclosing ones.
func rename(g *onnxpb.GraphProto, from, to string) {
	for _, node := range g.GetNode() {
		for i, name := range node.Input {
			if name == from {
				node.Input[i] = to
			}
		}
		for _, inner := range subgraphs(node) {
			for _, out := range inner.Output {
				if out.GetName() == from {
					out.Name = &to
				}
			}
			rename(inner, from, to)
		}
	}
}

// subgraphs returns the branches and bodies of a node.
func subgraphs(n *onnxpb.NodeProto) []*onnxpb.GraphProto {
	var out []*onnxpb.GraphProto
	for _, a := range n.GetAttribute() {
		if a.G != nil {
			out = append(out, a.G)
		}
		out = append(out, a.Graphs...)
	}
	return out
}
