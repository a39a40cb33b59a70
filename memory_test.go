package bbgen_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
)

// TestMemory compiles a model with weights in external data. The compiler may allocate memory for the weights twice:
// as they are in the model, and as kernels read them.
func TestMemory(t *testing.T) {
	const size = 2048
	weights := make([]byte, 4*size*size)
	rand.NewChaCha8([32]byte{}).Read(weights)
	name := writeExternal(t, size, weights)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := onnx.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := bbgen.Compile(m, bbgen.Config{Source: "m.onnx"})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	got := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(weights))
	t.Logf("%.2f times the size of the weights", got)
	if got > 2.7 {
		t.Errorf("the compiler allocated %.1f times the size of the weights, want 2.7 at most", got)
	}
	for _, f := range r.Files {
		if f.Path == "weights.bin" && f.Len() < len(weights) {
			t.Errorf("%s has %d bytes, want %d", f.Path, f.Len(), len(weights))
		}
	}
}

// writeExternal writes a model of one product with a square matrix, which is in a file beside it.
func writeExternal(t *testing.T, size int64, weights []byte) string {
	t.Helper()
	float := int32(onnxpb.TensorProto_FLOAT)
	vector := func(name string) *onnxpb.ValueInfoProto {
		shape := &onnxpb.TensorShapeProto{Dim: []*onnxpb.TensorShapeProto_Dimension{
			{Value: &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: 1}}, {Value: &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: size}},
		}}
		return &onnxpb.ValueInfoProto{Name: &name, Type: &onnxpb.TypeProto{Value: &onnxpb.TypeProto_TensorType{TensorType: &onnxpb.TypeProto_Tensor{ElemType: &float, Shape: shape}}}}
	}
	b, err := proto.Marshal(&onnxpb.ModelProto{
		IrVersion:   proto.Int64(10),
		OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(21)}},
		Graph: &onnxpb.GraphProto{
			Name: proto.String("m"), Input: []*onnxpb.ValueInfoProto{vector("x")}, Output: []*onnxpb.ValueInfoProto{vector("y")},
			Node: []*onnxpb.NodeProto{{OpType: proto.String("MatMul"), Input: []string{"x", "w"}, Output: []string{"y"}}},
			Initializer: []*onnxpb.TensorProto{{
				Name: proto.String("w"), DataType: &float, Dims: []int64{size, size}, DataLocation: onnxpb.TensorProto_EXTERNAL.Enum(),
				ExternalData: []*onnxpb.StringStringEntryProto{{Key: proto.String("location"), Value: proto.String("w.bin")}},
			}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string][]byte{"m.onnx": b, "w.bin": weights} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "m.onnx")
}
