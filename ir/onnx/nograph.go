package onnx

import (
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/artifact/keys"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
)

// noGraph says why a model that has only functions cannot be read. Bytesandbrains 0.3 records programs in this form: each
// module is a function, whose inputs have no types.
func noGraph(p *onnxpb.ModelProto) error {
	names := make([]string, 0, fewNames)
	for _, f := range p.Functions[:min(len(p.Functions), fewNames)] {
		names = append(names, fmt.Sprintf("%.40q", f.GetName()))
	}
	what := strings.Join(names, ", ")
	if more := len(p.Functions) - fewNames; more > 0 {
		what += fmt.Sprintf(" and %d more", more)
	}
	if !isRecorded(p) {
		return fmt.Errorf("model has no graph, and %d functions, whose inputs have no types: %s; want a graph that calls one of them", len(p.Functions), what)
	}
	return fmt.Errorf("model has no graph, and %d functions: %s; bytesandbrains 0.3 records programs in this form, which cannot be compiled: "+
		"the inputs of modules have no types, and no shapes are known; write the modules again with package dsl, or give the file a graph that calls a function of ONNX operators alone",
		len(p.Functions), what)
}

// fewNames is how many functions an error names.
const fewNames = 4

// isRecorded reports whether a model comes from bytesandbrains: its metadata or a function's, or the domain of an operator
// says so.
func isRecorded(p *onnxpb.ModelProto) bool {
	marked := func(list []*onnxpb.StringStringEntryProto) bool {
		for _, kv := range list {
			if strings.HasPrefix(kv.GetKey(), keys.Recorded) {
				return true
			}
		}
		return false
	}
	if marked(p.MetadataProps) {
		return true
	}
	for _, f := range p.Functions {
		if marked(f.MetadataProps) || strings.HasPrefix(f.GetDomain(), keys.Recorded) {
			return true
		}
		for _, n := range f.Node {
			if marked(n.MetadataProps) || strings.HasPrefix(n.GetDomain(), keys.Recorded) {
				return true
			}
		}
	}
	return false
}
