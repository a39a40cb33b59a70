package onnx

import (
	"strconv"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
)

// Keys in metadata_props for data that ONNX has no field for.
const (
	keyClass   = "ai.bytesandbrains.home_class" // of a node: the class that runs it
	keyPos     = "bbgen.pos"                    // of a node: the author's file:line
	keyVersion = "bbgen.version"                // of a node: its version, if it differs from the import's
	keyState   = "bbgen.state"                  // of an input: the kind of state variable
	keyNext    = "bbgen.next"                   // of an input: the next value of the variable
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
	n.Class = printable(prop(props, keyClass))
	n.Pos = printable(prop(props, keyPos))
	if v, err := strconv.Atoi(prop(props, keyVersion)); err == nil && v > 0 {
		n.Version = v
	}
}

// annotations is the inverse of annotated. The parameter imported is the version of a node without
// annotations.
func annotations(n *ir.Node, imported int) []*onnxpb.StringStringEntryProto {
	var props []*onnxpb.StringStringEntryProto
	addProp(&props, keyClass, n.Class)
	addProp(&props, keyPos, n.Pos)
	if n.Version != imported && n.Version != 0 {
		addProp(&props, keyVersion, strconv.Itoa(n.Version))
	}
	return props
}
