// Package onnxpb holds the protobuf messages of ONNX, as protoc-gen-go prints
// them from onnx.proto. It knows the file format and nothing else: what a node
// means is the business of the packages that import it, and of those there is
// only ir/onnx.
//
// To regenerate after a change of onnx.proto, run go generate in this
// directory; nothing but Go is needed.
package onnxpb

//go:generate env GOWORK=off go run -C ../../../tools ./protogen .. ir/onnx/onnxpb/onnx.proto
