package onnx

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// ReadFile reads a model from a file, with external data in the file's directory or below.
func ReadFile(path string) (*ir.Module, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Decode(path, b, func(location string) ([]byte, error) {
		return readBeside(filepath.Dir(path), location)
	})
}

// readBeside reads a file that must be in dir, even if there are symbolic links.
func readBeside(dir, location string) ([]byte, error) {
	name := filepath.FromSlash(location)
	if !filepath.IsLocal(name) {
		return nil, fmt.Errorf("external data %q is not below the model's directory", location)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("external data %q: %w", location, cause(err))
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("external data %q is not a regular file", location)
	}
	b, err := root.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("external data %q: %w", location, cause(err))
	}
	return b, nil
}

// cause returns an error without the operation and the path, which messages already contain.
func cause(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// external reads tensors from files beside the model's, each file once.
type external struct {
	open  func(location string) ([]byte, error)
	files map[string][]byte
}

// read returns the bytes of a tensor.
func (e *external) read(p *onnxpb.TensorProto) ([]byte, error) {
	if tensor.DType(p.GetDataType()) == tensor.String {
		return nil, errors.New("strings cannot lie in external data")
	}
	var location string
	offset, length := int64(0), int64(-1)
	for _, kv := range p.ExternalData {
		var err error
		switch kv.GetKey() {
		case "location":
			location = kv.GetValue()
		case "offset":
			offset, err = size(kv)
		case "length":
			length, err = size(kv)
		}
		if err != nil {
			return nil, err
		}
	}
	b, err := e.file(location)
	if err != nil {
		return nil, err
	}
	if length < 0 {
		length = max(int64(len(b))-offset, 0)
	}
	if offset > int64(len(b)) || length > int64(len(b))-offset {
		return nil, fmt.Errorf("external data %q has %d bytes, want %d at %d", location, len(b), length, offset)
	}
	return b[offset : offset+length], nil
}

func size(kv *onnxpb.StringStringEntryProto) (int64, error) {
	n, err := strconv.ParseUint(kv.GetValue(), 10, 64)
	if err != nil || n > math.MaxInt64 {
		return 0, fmt.Errorf("external data: %s is %q, want a number of bytes", kv.GetKey(), kv.GetValue())
	}
	return int64(n), nil
}

func (e *external) file(location string) ([]byte, error) {
	if location == "" {
		return nil, errors.New("external data has no location")
	}
	if e.open == nil {
		return nil, fmt.Errorf("external data %q is not allowed here", location)
	}
	if b, ok := e.files[location]; ok {
		return b, nil
	}
	b, err := e.open(location)
	if err != nil {
		return nil, err
	}
	e.files[location] = b
	return b, nil
}
