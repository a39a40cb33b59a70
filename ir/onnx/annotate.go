package onnx

import (
	"strconv"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
)

// What ONNX has no field for travels in metadata_props, under these keys.
const (
	keyClass   = "ai.bytesandbrains.home_class" // of a node: where it runs
	keyPos     = "bbgen.pos"                    // of a node: the author's file:line
	keyVersion = "bbgen.version"                // of a node: its version, if not the import's
	keyState   = "bbgen.state"                  // of an input: the kind of state variable
	keyNext    = "bbgen.next"                   // of an input: what the variable becomes
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

// annotated gives a node what its metadata say.
func annotated(n *ir.Node, props []*onnxpb.StringStringEntryProto) {
	n.Class = printable(prop(props, keyClass))
	n.Pos = printable(prop(props, keyPos))
	if v, err := strconv.Atoi(prop(props, keyVersion)); err == nil && v > 0 {
		n.Version = v
	}
}

// annotations returns the inverse of annotated; imported is the version that the
// node would have without them.
func annotations(n *ir.Node, imported int) []*onnxpb.StringStringEntryProto {
	var props []*onnxpb.StringStringEntryProto
	addProp(&props, keyClass, n.Class)
	addProp(&props, keyPos, n.Pos)
	if n.Version != imported && n.Version != 0 {
		addProp(&props, keyVersion, strconv.Itoa(n.Version))
	}
	return props
}
