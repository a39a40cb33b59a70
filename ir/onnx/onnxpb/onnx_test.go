package onnxpb

import "testing"

// TestOwnName checks the two names by which protobuf's registry could conflict with another ONNX binding in
// the same program: a conflict is a panic at the start.
func TestOwnName(t *testing.T) {
	fd := File_ir_onnx_onnxpb_onnx_proto
	if got, want := string(fd.Package()), "bbgen.onnx"; got != want {
		t.Errorf("proto package is %q, want %q", got, want)
	}
	if got, want := fd.Path(), "ir/onnx/onnxpb/onnx.proto"; got != want {
		t.Errorf("file is registered as %q, want %q", got, want)
	}
}
