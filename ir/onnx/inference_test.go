package onnx

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
)

// trainingModel returns a model with one node, of an operator set, whose first output is the model's.
func trainingModel(set int64, n *onnxpb.NodeProto, outputs ...string) *onnxpb.ModelProto {
	g := &onnxpb.GraphProto{Node: []*onnxpb.NodeProto{n}}
	for _, name := range append([]string{n.Output[0]}, outputs...) {
		g.Output = append(g.Output, &onnxpb.ValueInfoProto{Name: proto.String(name)})
	}
	return &onnxpb.ModelProto{Graph: g, OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(set)}}}
}

func nodeOf(op string, in, out string, attrs ...*onnxpb.AttributeProto) *onnxpb.NodeProto {
	return &onnxpb.NodeProto{OpType: proto.String(op), Name: proto.String("n"), Input: strings.Fields(in), Output: strings.Fields(out), Attribute: attrs}
}

func intAttr(name string, v int64) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_INT.Enum(), I: proto.Int64(v)}
}

// TestForInference converts nodes of each version that says in another way whether it trains.
func TestForInference(t *testing.T) {
	bn := "x s b m v"
	for name, c := range map[string]struct {
		set       int64
		node      *onnxpb.NodeProto
		want      *onnxpb.NodeProto
		unchanged bool
	}{
		"dropout by input":          {set: 13, node: nodeOf("Dropout", "x r t", "y mask"), want: nodeOf("Dropout", "x r", "y mask")},
		"dropout of inference":      {set: 13, node: nodeOf("Dropout", "x r", "y"), want: nodeOf("Dropout", "x r", "y"), unchanged: true},
		"dropout without a mode":    {set: 10, node: nodeOf("Dropout", "x", "y"), want: nodeOf("Dropout", "x", "y"), unchanged: true},
		"dropout by attribute":      {set: 6, node: nodeOf("Dropout", "x", "y"), want: nodeOf("Dropout", "x", "y", intAttr("is_test", 1))},
		"dropout that is no ONNX's": {set: 13, node: &onnxpb.NodeProto{OpType: proto.String("Dropout"), Domain: proto.String("other"), Input: []string{"x", "r", "t"}, Output: []string{"y"}}, unchanged: true},
		"norm by attribute":         {set: 15, node: nodeOf("BatchNormalization", bn, "y rm rv", intAttr("training_mode", 1)), want: nodeOf("BatchNormalization", bn, "y")},
		"norm by outputs":           {set: 9, node: nodeOf("BatchNormalization", bn, "y rm rv sm sv"), want: nodeOf("BatchNormalization", bn, "y")},
		"norm without statistics":   {set: 15, node: &onnxpb.NodeProto{OpType: proto.String("BatchNormalization"), Input: []string{"x", "s", "b", "m", "v", ""}, Output: []string{"y", "", ""}, Attribute: []*onnxpb.AttributeProto{intAttr("training_mode", 1)}}, want: &onnxpb.NodeProto{OpType: proto.String("BatchNormalization"), Input: []string{"x", "s", "b", "m", "v", ""}, Output: []string{"y"}}},
		"norm of inference":         {set: 9, node: nodeOf("BatchNormalization", bn, "y"), want: nodeOf("BatchNormalization", bn, "y"), unchanged: true},
		"old norm":                  {set: 6, node: nodeOf("BatchNormalization", bn, "y", intAttr("is_test", 0)), want: nodeOf("BatchNormalization", bn, "y", intAttr("is_test", 1))},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := proto.Marshal(trainingModel(c.set, c.node))
			if err != nil {
				t.Fatal(err)
			}
			out, nodes, err := ForInference(b)
			if err != nil || (nodes == 0) != c.unchanged {
				t.Fatalf("%d nodes are converted, %v", nodes, err)
			}
			if c.unchanged {
				if !bytes.Equal(out, b) {
					t.Error("the file changes")
				}
				return
			}
			var got onnxpb.ModelProto
			if err := proto.Unmarshal(out, &got); err != nil {
				t.Fatal(err)
			}
			if !proto.Equal(got.Graph.Node[0], c.want) {
				t.Errorf("got %v, want %v", got.Graph.Node[0], c.want)
			}
		})
	}
}

// TestForInferenceInside converts nodes of branches and of functions, which have operator sets of their own.
func TestForInferenceInside(t *testing.T) {
	drop := func() *onnxpb.NodeProto { return nodeOf("Dropout", "x r t", "y") }
	branch := &onnxpb.AttributeProto{Name: proto.String("then_branch"), G: &onnxpb.GraphProto{Node: []*onnxpb.NodeProto{drop()}}}
	m := trainingModel(13, nodeOf("If", "c", "y", branch))
	m.Functions = []*onnxpb.FunctionProto{
		{Name: proto.String("f"), Node: []*onnxpb.NodeProto{drop()}, OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(13)}}},
		{Name: proto.String("h"), Node: []*onnxpb.NodeProto{drop()}},                                                                          // the model's operator set
		{Name: proto.String("i"), Node: []*onnxpb.NodeProto{nodeOf("BatchNormalization", "p s b m v", "z y x", intAttr("training_mode", 1))}}, // y and x are others than the graph's
		{Name: proto.String("g"), Node: []*onnxpb.NodeProto{nodeOf("Dropout", "x", "y")}, OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(10)}}},
	}
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	out, nodes, err := ForInference(b)
	if err != nil || nodes != 4 {
		t.Fatalf("%d nodes are converted, %v, want 4", nodes, err)
	}
	var got onnxpb.ModelProto
	if err := proto.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	for _, n := range []*onnxpb.NodeProto{got.Graph.Node[0].Attribute[0].G.Node[0], got.Functions[0].Node[0], got.Functions[1].Node[0]} {
		if !slices.Equal(n.Input, []string{"x", "r"}) {
			t.Errorf("the inputs are %q", n.Input)
		}
	}
}

// TestForInferenceRefused gives models that cannot be converted.
func TestForInferenceRefused(t *testing.T) {
	b, err := proto.Marshal(trainingModel(15, nodeOf("BatchNormalization", "x s b m v", "y rm rv", intAttr("training_mode", 1)), "rm"))
	if err != nil {
		t.Fatal(err)
	}
	for want, model := range map[string][]byte{
		`node "n" (BatchNormalization): its statistics "rm" are read`: b,
		"not an ONNX model": []byte("hello"),
	} {
		if _, _, err := ForInference(model); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
