package onnx

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// weightsModel has weights at all possible places: raw, as floats, in a Constant and in another file.
func weightsModel(t *testing.T) []byte {
	t.Helper()
	float := proto.Int32(int32(tensor.Float32))
	external := onnxpb.TensorProto_EXTERNAL
	b, err := proto.Marshal(&onnxpb.ModelProto{
		IrVersion:    proto.Int64(10),
		ProducerName: proto.String("a producer"),
		Graph: &onnxpb.GraphProto{
			Name: proto.String("g"),
			Node: []*onnxpb.NodeProto{
				{OpType: proto.String("Constant"), Output: []string{"c"}, Attribute: []*onnxpb.AttributeProto{{
					Name: proto.String("value"), Type: onnxpb.AttributeProto_TENSOR.Enum(),
					T: &onnxpb.TensorProto{Dims: []int64{1}, DataType: float, RawData: make([]byte, 4)},
				}}},
				{OpType: proto.String("Add"), Input: []string{"a", "b"}, Output: []string{"y"}, DocString: proto.String("keep me")},
			},
			Initializer: []*onnxpb.TensorProto{
				{Name: proto.String("a"), Dims: []int64{2}, DataType: float, RawData: make([]byte, 8), DocString: proto.String("and me")},
				{Name: proto.String("b"), Dims: []int64{1, 2}, DataType: float, FloatData: []float32{1, 2}},
				{Name: proto.String("e"), Dims: []int64{1}, DataType: float, DataLocation: &external, ExternalData: []*onnxpb.StringStringEntryProto{
					{Key: proto.String("location"), Value: proto.String("model.data")},
				}},
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return append(b, 0xf8, 0x7f, 1) // an unknown field
}

// TestReplaceWeights replaces weights of a model, and compares all its other fields.
func TestReplaceWeights(t *testing.T) {
	model := weightsModel(t)
	out, external, err := ReplaceWeights(model, map[string]*tensor.Tensor{
		"a": tensor.Of([]float32{1, 2}, 2),
		"b": tensor.Of([]float32{3, 4}, 1, 2),
		"c": tensor.Of([]float32{5}, 1),
	})
	if err != nil || !slices.Equal(external, []string{"model.data"}) {
		t.Fatal(err, external)
	}
	var was, is onnxpb.ModelProto
	if err := proto.Unmarshal(model, &was); err != nil {
		t.Fatal(err)
	}
	if err := proto.Unmarshal(out, &is); err != nil {
		t.Fatal(err)
	}
	g := was.Graph
	g.Initializer[0].RawData = []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}
	g.Initializer[1].FloatData, g.Initializer[1].RawData = nil, []byte{0, 0, 0x40, 0x40, 0, 0, 0x80, 0x40}
	g.Node[0].Attribute[0].T.RawData = []byte{0, 0, 0xa0, 0x40}
	if !proto.Equal(&was, &is) {
		t.Errorf("got\n%v\nwant\n%v", &is, &was)
	}
	// Replaced external data are stored in the file.
	if _, external, err := ReplaceWeights(model, map[string]*tensor.Tensor{"e": tensor.Of([]float32{5}, 1)}); err != nil || len(external) > 0 {
		t.Error(err, external)
	}
	// If nothing is replaced, the bytes are unchanged.
	if out, _, err := ReplaceWeights(model, map[string]*tensor.Tensor{"a": tensor.New(tensor.Float32, 2)}); err != nil || !bytes.Equal(out, model) {
		t.Errorf("got %q, %v\nwant %q", out, err, model)
	}
}

// TestReplaceWeightsRefuses checks the errors for weights of other types, shapes and names.
func TestReplaceWeightsRefuses(t *testing.T) {
	_, _, err := ReplaceWeights(weightsModel(t), map[string]*tensor.Tensor{
		"a": tensor.New(tensor.Float64, 2),
		"b": tensor.New(tensor.Float32, 2, 1),
		"x": tensor.New(tensor.Float32, 2),
		"z": tensor.New(tensor.Float32, 2),
	})
	const want = `weight "a": is float64[2], the model's is float32[2]
weight "b": is float32[2,1], the model's is float32[1,2]
weight "x": the model has none of this name
weight "z": the model has none of this name`
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	if _, _, err := ReplaceWeights([]byte("hello"), nil); err == nil {
		t.Error("hello passes for a model")
	}
}

// TestReplaceWeightsLocations: a model needs its external data wherever they are in it.
func TestReplaceWeightsLocations(t *testing.T) {
	var list []string
	outside := func(where string) *onnxpb.TensorProto {
		list = append(list, where)
		return &onnxpb.TensorProto{
			DataLocation: onnxpb.TensorProto_EXTERNAL.Enum(),
			ExternalData: []*onnxpb.StringStringEntryProto{{Key: proto.String("location"), Value: &where}},
		}
	}
	tensors := func(where string) *onnxpb.NodeProto {
		return &onnxpb.NodeProto{Attribute: []*onnxpb.AttributeProto{
			{T: outside(where + "1"), Tensors: []*onnxpb.TensorProto{outside(where + "2")}, SparseTensor: &onnxpb.SparseTensorProto{Values: outside(where + "3")}},
		}}
	}
	graph := func(where string) *onnxpb.GraphProto {
		return &onnxpb.GraphProto{
			Initializer:       []*onnxpb.TensorProto{outside(where + "i")},
			SparseInitializer: []*onnxpb.SparseTensorProto{{Indices: outside(where + "s")}},
			Node:              []*onnxpb.NodeProto{tensors(where + "n")},
		}
	}
	g := graph("g")
	g.Node = append(g.Node, &onnxpb.NodeProto{Attribute: []*onnxpb.AttributeProto{{G: graph("b"), Graphs: []*onnxpb.GraphProto{graph("c")}}}})
	inline := outside("unused")
	inline.DataLocation = nil
	g.Initializer = append(g.Initializer, inline)
	b, err := proto.Marshal(&onnxpb.ModelProto{
		Graph:        g,
		Functions:    []*onnxpb.FunctionProto{{Node: []*onnxpb.NodeProto{tensors("f")}, AttributeProto: []*onnxpb.AttributeProto{{T: outside("fa")}}}},
		TrainingInfo: []*onnxpb.TrainingInfoProto{{Algorithm: graph("a"), Initialization: graph("z")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	list = slices.DeleteFunc(list, func(s string) bool { return s == "unused" })
	slices.Sort(list)
	if _, got, err := ReplaceWeights(b, nil); err != nil || !slices.Equal(got, list) {
		t.Errorf("got  %q, %v\nwant %q", got, err, list)
	}
}

// TestReplaceWeightsNested: a file nested without end is an error, not an overflow of the stack.
func TestReplaceWeightsNested(t *testing.T) {
	g := &onnxpb.GraphProto{}
	for range 1000 {
		g = &onnxpb.GraphProto{Node: []*onnxpb.NodeProto{{Attribute: []*onnxpb.AttributeProto{{G: g}}}}}
	}
	b, err := proto.Marshal(&onnxpb.ModelProto{Graph: g})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReplaceWeights(b, nil); err == nil || !strings.Contains(err.Error(), "graphs are nested deeper than 64") {
		t.Errorf("got %v", err)
	}
}

// TestReplaceWeightsMemory: the only copy of the weights is the result.
func TestReplaceWeightsMemory(t *testing.T) {
	const n = 1 << 22
	w := tensor.New(tensor.Float32, n)
	b, err := proto.Marshal(&onnxpb.ModelProto{Graph: &onnxpb.GraphProto{Initializer: []*onnxpb.TensorProto{
		{Name: proto.String("w"), Dims: []int64{n}, DataType: proto.Int32(int32(tensor.Float32)), RawData: make([]byte, 4*n)},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, _, err := ReplaceWeights(b, map[string]*tensor.Tensor{"w": w}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := float64(after.TotalAlloc-before.TotalAlloc) / (4 * n); got > 1.1 {
		t.Errorf("allocated %.2f times the size of the weights, want 1.1 at most", got)
	}
}

// FuzzReplaceWeights tests that arbitrary bytes cause no panic, and that models without replacements are
// unchanged.
func FuzzReplaceWeights(f *testing.F) {
	f.Add([]byte{0x3a, 4, 0x2a, 2, 8, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<16 {
			return
		}
		if _, _, err := ReplaceWeights(b, map[string]*tensor.Tensor{"": tensor.New(tensor.Float32, 1)}); err != nil {
			return
		}
	})
}
