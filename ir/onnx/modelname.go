package onnx

import (
	"path/filepath"
	"regexp"
	"strings"
)

// exporters matches names that exporters give to all graphs, or draw at random. They say nothing about a model.
var exporters = regexp.MustCompile(`^(main_graph|torch_jit|torch-jit-export|tf2onnx|[0-9a-f]{32})$`)

// modelName returns the name of a graph or, if it is an exporter's, that of its file without the extension.
func modelName(graph, file string) string {
	base := filepath.Base(file)
	if name := strings.TrimSuffix(base, filepath.Ext(base)); file != "" && name != "" && exporters.MatchString(graph) {
		return printable(name)
	}
	return printable(graph)
}
