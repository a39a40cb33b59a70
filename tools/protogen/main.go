// Protogen prints the Go bindings of .proto files beside them:
//
//	go run ./protogen .. ir/onnx/onnxpb/onnx.proto
//
// The first argument is the top of the repository. A file is named from there,
// and is known in protobuf's registry by that name: a plain onnx.proto of some
// other binding in the same program would clash.
//
// The files are compiled in process and passed to protoc-gen-go, at the version in go.mod, so that protoc is not
// needed and the output is always the same. It runs in the directory of the tools module.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: protogen TOP FILE.proto...")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "protogen:", err)
		os.Exit(1)
	}
}

// run writes the bindings of the named files of top beside them.
func run(top string, names []string) error {
	out, err := generate(top, names)
	if err != nil {
		return err
	}
	for _, f := range out {
		if err := os.WriteFile(filepath.Join(top, f.GetName()), []byte(f.GetContent()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate returns the bindings of the named files of top.
func generate(top string, names []string) ([]*pluginpb.CodeGeneratorResponse_File, error) {
	req, err := request(top, names)
	if err != nil {
		return nil, err
	}
	return plugin(req)
}

// request compiles the named files of top, and their imports, into the request that protoc would send to a
// plugin. It sets no compiler version, as that would appear in the generated file and make it depend on the
// environment.
func request(top string, names []string) (*pluginpb.CodeGeneratorRequest, error) {
	c := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{top}}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := c.Compile(context.Background(), names...)
	if err != nil {
		return nil, err
	}
	req := &pluginpb.CodeGeneratorRequest{
		FileToGenerate: names,
		Parameter:      proto.String("paths=source_relative"),
	}
	seen := map[string]bool{}
	for _, f := range files {
		req.ProtoFile = appendFile(req.ProtoFile, f, seen)
	}
	return req, nil
}

// appendFile appends f after the files that it imports, the order that plugins
// ask for.
func appendFile(dst []*descriptorpb.FileDescriptorProto, f protoreflect.FileDescriptor, seen map[string]bool) []*descriptorpb.FileDescriptorProto {
	if seen[f.Path()] {
		return dst
	}
	seen[f.Path()] = true
	imports := f.Imports()
	for i := range imports.Len() {
		dst = appendFile(dst, imports.Get(i).FileDescriptor, seen)
	}
	return append(dst, protoutil.ProtoFromFileDescriptor(f))
}

// plugin runs protoc-gen-go on req.
func plugin(req *pluginpb.CodeGeneratorRequest) ([]*pluginpb.CodeGeneratorResponse_File, error) {
	in, err := proto.Marshal(req)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("go", "tool", "protoc-gen-go")
	cmd.Stdin = bytes.NewReader(in)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("protoc-gen-go: %w", err)
	}
	var resp pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(out, &resp); err != nil {
		return nil, fmt.Errorf("protoc-gen-go: answer: %w", err)
	}
	if resp.Error != nil {
		return nil, errors.New(resp.GetError())
	}
	return resp.File, nil
}
