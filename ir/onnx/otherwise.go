package onnx

import (
	"bytes"
	"strings"
)

// otherwise says what a file is that is no model, and what to do.
func otherwise(b []byte) string {
	for _, known := range []struct{ prefix, what string }{
		{"version https://git-lfs.github.com/", "the file is a pointer of Git LFS: git lfs pull gets the model"},
		{"<!doctype html", "the file is a web page: what was downloaded is not the model"},
		{"<html", "the file is a web page: what was downloaded is not the model"},
		{"PK\x03\x04", "the file is an archive: want the model in it, or of a PyTorch file what torch.onnx.export writes"},
		{"\x80\x02", "the file is a pickle: want what torch.onnx.export writes"},
		{"\x1f\x8b", "the file is compressed: unpack it first"},
	} {
		if n := len(known.prefix); len(b) >= n && strings.EqualFold(string(b[:n]), known.prefix) {
			return known.what
		}
	}
	if bytes.Contains(b[:min(len(b), 4096)], []byte("ai.onnx")) || bytes.HasPrefix(b, []byte{0x08}) {
		return "no valid protobuf message; the file may be cut short"
	}
	return "no valid protobuf message"
}
