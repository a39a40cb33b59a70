package onnx

import (
	"strconv"

	"github.com/bbgen/bbgen/artifact/keys"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
)

func prop(props []*onnxpb.StringStringEntryProto, key string) string {
	for _, kv := range props {
		if kv.GetKey() == key {
			return kv.GetValue()
		}
	}
	return ""
}

func addProp(props *[]*onnxpb.StringStringEntryProto, key, value string) {
	if value != "" {
		*props = append(*props, &onnxpb.StringStringEntryProto{Key: &key, Value: &value})
	}
}

// annotated sets the fields of a node from its metadata.
func annotated(n *ir.Node, props []*onnxpb.StringStringEntryProto) {
	n.Class = printable(prop(props, keys.HomeClass))
	n.Pos = printable(prop(props, keys.Pos))
	if v, err := strconv.Atoi(prop(props, keys.Version)); err == nil && v > 0 {
		n.Version = v
	}
}

// annotations is the inverse of annotated. The parameter imported is the version of a node without
// annotations.
func annotations(n *ir.Node, imported int) []*onnxpb.StringStringEntryProto {
	var props []*onnxpb.StringStringEntryProto
	addProp(&props, keys.HomeClass, n.Class)
	addProp(&props, keys.Pos, n.Pos)
	if n.Version != imported && n.Version != 0 {
		addProp(&props, keys.Version, strconv.Itoa(n.Version))
	}
	return props
}
