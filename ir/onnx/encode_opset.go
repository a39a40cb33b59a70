package onnx

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
)

// imports returns the operator set versions that nodes require: those declared for their graph or an
// enclosing one, or newer ones if a node has been upgraded.
func imports(declared, around map[string]int, regions ...*ir.Region) map[string]int {
	out := map[string]int{}
	maps.Copy(out, declared)
	for _, r := range regions {
		r.Walk(func(n *ir.Node) {
			if _, ok := out[n.Domain]; !ok {
				out[n.Domain] = around[n.Domain]
			}
			out[n.Domain] = max(out[n.Domain], n.Version, 1)
		})
	}
	return out
}

func importProtos(versions map[string]int) []*onnxpb.OperatorSetIdProto {
	var out []*onnxpb.OperatorSetIdProto
	for _, dom := range slices.Sorted(maps.Keys(versions)) {
		out = append(out, &onnxpb.OperatorSetIdProto{Domain: &dom, Version: proto.Int64(int64(versions[dom]))})
	}
	return out
}

// irVersion returns a version of the file format that supports everything written here, and that is not older
// than ONNX's operator set.
func irVersion(opset int) int64 {
	switch {
	case opset < 23:
		return 10
	case opset < 25:
		return int64(opset) - 12
	case opset < 27:
		return 13
	}
	return maxIR
}
