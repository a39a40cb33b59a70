// Package safetensors reads and writes safetensors files: a JSON header that names tensors, and their bytes. It
// uses only the standard library.
//
// Files are not trusted: the whole header is checked against the size of the
// file before a tensor is allocated. Tensors must fill the file without gap or
// overlap, as the format demands.
//
// https://github.com/huggingface/safetensors
package safetensors

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/raw"
)

// File is the content of a file.
type File struct {
	Metadata map[string]string // free-form
	Tensors  map[string]*tensor.Tensor
}

// maxHeader bounds the bytes of a header, as the reference does.
const maxHeader = 100_000_000

// Decode reads a file. The tensors have memory of their own.
func Decode(b []byte) (*File, error) { return Read(bytes.NewReader(b), int64(len(b))) }

// Read reads a file of size bytes from r, each tensor directly into its memory. It allocates no more than size
// requires.
func Read(r io.Reader, size int64) (*File, error) {
	f, err := read(r, size)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	return f, nil
}

func read(r io.Reader, size int64) (*File, error) {
	if size < 8 {
		return nil, fmt.Errorf("file has %d bytes, want at least 8", size)
	}
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(head[:])
	if n > maxHeader {
		return nil, fmt.Errorf("header has %d bytes, want at most %d", n, maxHeader)
	}
	if int64(n) > size-8 {
		return nil, fmt.Errorf("header has %d bytes, the file only %d behind its length", n, size-8)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, err
	}
	h, err := parseHeader(text)
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if err := h.check(size - 8 - int64(n)); err != nil {
		return nil, err
	}
	f := &File{Metadata: h.metadata, Tensors: make(map[string]*tensor.Tensor, len(h.entries))}
	for _, e := range h.entries {
		t := tensor.New(e.dtype, e.shape...)
		if err := fill(r, t); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", e.name, err)
		}
		f.Tensors[e.name] = t
	}
	return f, nil
}

// fill reads the elements of t.
func fill(r io.Reader, t *tensor.Tensor) error {
	b := t.Bytes()
	if t.DType.Bits() < 8 {
		b = make([]byte, raw.Len(t.Len(), t.DType))
	}
	_, err := io.ReadFull(r, b)
	if err == nil {
		raw.Fill(t, b)
	}
	return err
}

// Append appends the file to dst. The same tensors give the same bytes.
func (f *File) Append(dst []byte) ([]byte, error) {
	names := f.names()
	dst, err := f.appendHeader(dst, names)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		dst = raw.Append(dst, f.Tensors[name])
	}
	return dst, nil
}

// WriteTo writes what [File.Append] appends, a tensor at a time and without a
// copy.
func (f *File) WriteTo(w io.Writer) (int64, error) {
	c := &counter{w: w}
	names := f.names()
	head, err := f.appendHeader(nil, names)
	if err != nil {
		return 0, err
	}
	if _, err := c.Write(head); err != nil {
		return c.n, err
	}
	for _, name := range names {
		if err := raw.Write(c, f.Tensors[name]); err != nil {
			return c.n, err
		}
	}
	return c.n, nil
}

// counter counts the bytes that are written through it.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
