// Package npz reads and writes numpy's .npz: a zip archive of .npy files. It is separate from the other formats
// so that only programs that read archives link zip.
//
// Files are not trusted: the caller limits the size of the contents, since a few bytes of an archive can expand
// to very many.
package npz

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// suffix is the suffix of array names in the archive.
const suffix = ".npy"

// maxArrays bounds the arrays of an archive.
const maxArrays = 1 << 16

// Decode reads the arrays of an archive by name. Together they must not have more than limit bytes.
func Decode(b []byte, limit int64) (map[string]*tensor.Tensor, error) {
	return Read(bytes.NewReader(b), int64(len(b)), limit)
}

// Read reads an archive of size bytes, as [Decode] does. Before it reads the data, it
// allocates no more than so many compressed bytes can contain, whatever sizes the archive names.
func Read(r io.ReaderAt, size, limit int64) (map[string]*tensor.Tensor, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("npz: %w", err)
	}
	if len(z.File) > maxArrays {
		return nil, fmt.Errorf("npz: %d files, want at most %d", len(z.File), maxArrays)
	}
	arrays := make(map[string]*tensor.Tensor, len(z.File))
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, suffix)
		if !ok {
			return nil, fmt.Errorf("npz: file %q is no %s", f.Name, suffix)
		}
		if arrays[name] != nil {
			return nil, fmt.Errorf("npz: file %q is there twice", f.Name)
		}
		t, n, err := readArray(f, size, limit)
		if err != nil {
			return nil, fmt.Errorf("npz: file %q: %w", f.Name, err)
		}
		arrays[name] = t
		limit -= n
	}
	return arrays, nil
}

// maxDeflate is how many bytes deflate makes of one at most.
const maxDeflate = 1032

// readArray reads one array of an archive of size bytes, and returns its size in bytes.
func readArray(f *zip.File, size, limit int64) (*tensor.Tensor, int64, error) {
	if f.UncompressedSize64 > uint64(limit) {
		return nil, 0, fmt.Errorf("announces %d bytes, at most %d are left of the limit", f.UncompressedSize64, limit)
	}
	r, err := f.Open()
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	var buf bytes.Buffer
	if n := f.UncompressedSize64; n <= maxDeflate*min(f.CompressedSize64, uint64(size)) && n < math.MaxInt-bytes.MinRead {
		buf.Grow(int(n) + bytes.MinRead) // growing it by and by takes three times as much
	}
	n, err := io.Copy(&buf, io.LimitReader(r, min(limit, math.MaxInt64-1)+1)) // one byte more shows that it has more
	if err != nil {
		return nil, 0, err
	}
	if n > limit {
		return nil, 0, fmt.Errorf("has more than %d bytes, which are left of the limit", limit)
	}
	t, err := tensorio.DecodeNPY(buf.Bytes())
	return t, n, err
}

// Write writes arrays, sorted by name and not compressed, as numpy.savez does.
// The same arrays give the same bytes.
func Write(w io.Writer, arrays map[string]*tensor.Tensor) error {
	z := zip.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		b, err := tensorio.AppendNPY(nil, arrays[name])
		if err != nil {
			return fmt.Errorf("npz: array %q: %w", name, err)
		}
		f, err := z.CreateHeader(&zip.FileHeader{Name: name + suffix, Method: zip.Store})
		if err != nil {
			return fmt.Errorf("npz: array %q: %w", name, err)
		}
		if _, err := f.Write(b); err != nil {
			return err
		}
	}
	return z.Close()
}
