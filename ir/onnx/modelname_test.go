package onnx

import "testing"

// TestModelName names a model like its file if its graph has the name that an exporter gives to all graphs.
func TestModelName(t *testing.T) {
	for _, c := range []struct{ graph, file, want string }{
		{"main_graph", "models/resnet18.v2.onnx", "resnet18.v2"},
		{"torch_jit", "größe.onnx", "größe"},
		{"tf2onnx", "a\nb.onnx", "a_b"},
		{"76793311a034451cac92bda1710365f1", "trees.onnx", "trees"},
		{"lenet", "model.onnx", "lenet"},
		{"ONNX(KMeans)", "model.onnx", "ONNX(KMeans)"},
		{"", "model.onnx", ""},
		{"main_graph", "", "main_graph"},
		{"main_graph", ".onnx", "main_graph"},
	} {
		if got := modelName(c.graph, c.file); got != c.want {
			t.Errorf("graph %q in %q: got %q, want %q", c.graph, c.file, got, c.want)
		}
	}
}
