package onnx

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// ReadFile reads a model from a file, with external data in the file's directory or below.
func ReadFile(path string) (*ir.Module, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := tensorio.ReadFile(f)
	if err != nil {
		return nil, err
	}
	size := len(b)
	m, err := Decode(path, b, func(location string) (External, error) {
		return openBeside(filepath.Dir(path), location)
	})
	release(size)
	return m, err
}

// largeFile is the size in bytes of a file whose memory is freed at once.
const largeFile = 1 << 26

// release frees what is not used any more of a file of size bytes, or of what was made of it. The next stage then uses
// that memory; otherwise it would be live until the heap has doubled.
func release(size int) {
	if size > largeFile {
		runtime.GC()
	}
}

// External is a file of external data. Tensors are read from it one by one, as it may have gigabytes.
type External interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// openFile is a file with the size that it had when it was opened.
type openFile struct {
	*os.File
	size int64
}

func (f *openFile) Size() int64 { return f.size }

// openBeside opens a file that must be in dir, even if there are symbolic links.
func openBeside(dir, location string) (External, error) {
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
	file, err := root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("external data %q: %w", location, cause(err))
	}
	return &openFile{file, info.Size()}, nil
}

// cause returns an error without the operation and the path, which messages already contain.
func cause(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// external reads tensors from files beside the model's. One file is open at a time: a model may have a file for
// each tensor.
type external struct {
	open     func(location string) (External, error)
	file     External // nil if none is open
	location string   // of file
}

// read returns the tensor p, whose elements are external.
func (e *external) read(p *onnxpb.TensorProto, f tensorio.Fields) (*tensor.Tensor, error) {
	if tensor.DType(p.GetDataType()) == tensor.String {
		return nil, errors.New("strings cannot lie in external data")
	}
	location, offset, length, err := place(p)
	if err != nil {
		return nil, err
	}
	if err := e.use(location); err != nil {
		return nil, err
	}
	size := e.file.Size()
	if length < 0 {
		length = max(size-offset, 0)
	}
	if offset > size || length > size-offset {
		return nil, fmt.Errorf("external data %q has %d bytes, want %d at %d", location, size, length, offset)
	}
	return f.Outside(length, func(b []byte) error {
		if _, err := io.ReadFull(io.NewSectionReader(e.file, offset, length), b); err != nil {
			return fmt.Errorf("external data %q: %d bytes at %d: %w", location, length, offset, cause(err))
		}
		return nil
	})
}

// place returns where the elements of a tensor are. The length is -1 if it is not given.
func place(p *onnxpb.TensorProto) (location string, offset, length int64, err error) {
	length = -1
	for _, kv := range p.ExternalData {
		switch kv.GetKey() {
		case "location":
			location = kv.GetValue()
		case "offset":
			offset, err = size(kv)
		case "length":
			length, err = size(kv)
		}
		if err != nil {
			return "", 0, 0, err
		}
	}
	return location, offset, length, nil
}

func size(kv *onnxpb.StringStringEntryProto) (int64, error) {
	n, err := strconv.ParseUint(kv.GetValue(), 10, 64)
	if err != nil || n > math.MaxInt64 {
		return 0, fmt.Errorf("external data: %s is %q, want a number of bytes", kv.GetKey(), kv.GetValue())
	}
	return int64(n), nil
}

// use opens a file, unless it is the open one.
func (e *external) use(location string) error {
	if location == "" {
		return errors.New("external data has no location")
	}
	if e.open == nil {
		return fmt.Errorf("external data %q is not allowed here", location)
	}
	if e.file != nil && e.location == location {
		return nil
	}
	e.close()
	file, err := e.open(location)
	if err != nil {
		return err
	}
	e.file, e.location = file, location
	return nil
}

func (e *external) close() {
	if e.file != nil {
		e.file.Close()
		e.file = nil
	}
}
