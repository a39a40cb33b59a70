package onnx

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
)

// messageType is a type of ONNX's messages on the way to a tensor.
type messageType int

const (
	aModel messageType = iota
	aGraph
	aNode
	anAttribute
	aSparseTensor
	aTensor
	aFunction
	aTrainingInfo
)

// withTensors is the types of fields with messages that may have tensors, by the numbers of the fields.
var withTensors = map[messageType]map[protowire.Number]messageType{
	aModel:        {modelGraph: aGraph, 20: aTrainingInfo, 25: aFunction},
	aGraph:        {graphNode: aNode, graphInitializer: aTensor, 15: aSparseTensor},
	aNode:         {nodeAttribute: anAttribute},
	anAttribute:   {attributeTensor: aTensor, 6: aGraph, 10: aTensor, 11: aGraph, 22: aSparseTensor, 23: aSparseTensor},
	aSparseTensor: {1: aTensor, 2: aTensor},
	aFunction:     {7: aNode, 11: anAttribute},
	aTrainingInfo: {1: aGraph, 2: aGraph},
}

// locations returns where the external data of a ModelProto are, sorted.
func locations(model []byte) ([]string, error) {
	found := map[string]bool{}
	if err := locate(model, aModel, 0, found); err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// locate adds the locations of a message.
func locate(b []byte, t messageType, depth int, found map[string]bool) error {
	if depth > 4*maxDepth { // a graph in a graph is in a node and an attribute of it
		return fmt.Errorf("graphs are nested deeper than %d", maxDepth)
	}
	list, err := fields(b)
	if err != nil {
		return err
	}
	if t == aTensor {
		return locateTensor(list, found)
	}
	for _, f := range list {
		if inner, ok := withTensors[t][f.num]; ok {
			if err := locate(f.content, inner, depth+1, found); err != nil {
				return err
			}
		}
	}
	return nil
}

// locateTensor adds the location of a tensor if its data are external.
func locateTensor(list []wireField, found map[string]bool) error {
	external, location := false, ""
	for _, f := range list {
		switch f.num {
		case tensorDataLocation:
			external = f.value == uint64(onnxpb.TensorProto_EXTERNAL)
		case tensorExternalData:
			entry, err := fields(f.content)
			if err != nil {
				return err
			}
			if entryOf(entry, entryKey) == "location" {
				location = entryOf(entry, entryValue)
			}
		}
	}
	if external && location != "" {
		found[location] = true
	}
	return nil
}
