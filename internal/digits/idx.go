package digits

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// An IDX file is two zero bytes, the type of an element, the number of
// dimensions, the dimensions as big-endian 32-bit numbers, and the elements.
const (
	idxBytes = 0x08 // elements are unsigned bytes, the only type of MNIST's files

	maxDims = 4       // images with channels have four
	maxData = 1 << 30 // MNIST's largest file holds 47 million
)

// WriteIDX writes data in the format of MNIST's files. Images have the
// dimensions n, [Size], [Size], labels have n alone.
func WriteIDX(w io.Writer, data []byte, dims ...int) error {
	n, err := elements(dims)
	if err != nil {
		return err
	}
	if n != len(data) {
		return fmt.Errorf("idx: %d bytes for dimensions %d, want %d", len(data), dims, n)
	}
	head := []byte{0, 0, idxBytes, byte(len(dims))}
	for _, d := range dims {
		head = binary.BigEndian.AppendUint32(head, uint32(d))
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// ReadIDX reads what [WriteIDX] writes, and nothing behind it. It believes no
// header: memory grows with the data that is there, not with what is announced.
func ReadIDX(r io.Reader) (data []byte, dims []int, err error) {
	var magic [4]byte
	if _, err := io.ReadFull(r, magic[:]); err != nil {
		return nil, nil, fmt.Errorf("idx: header: %w", short(err))
	}
	if magic[0] != 0 || magic[1] != 0 {
		return nil, nil, fmt.Errorf("idx: file begins with % x, want 00 00", magic[:2])
	}
	if magic[2] != idxBytes {
		return nil, nil, fmt.Errorf("idx: elements have type %#02x, want %#02x (bytes)", magic[2], idxBytes)
	}
	if magic[3] < 1 || magic[3] > maxDims {
		return nil, nil, fmt.Errorf("idx: %d dimensions, want 1 to %d", magic[3], maxDims)
	}
	raw := make([]byte, 4*int(magic[3]))
	if _, err := io.ReadFull(r, raw); err != nil {
		return nil, nil, fmt.Errorf("idx: dimensions: %w", short(err))
	}
	for ; len(raw) > 0; raw = raw[4:] {
		d := binary.BigEndian.Uint32(raw)
		if d > maxData {
			return nil, nil, fmt.Errorf("idx: dimension %d, want at most %d", d, maxData)
		}
		dims = append(dims, int(d))
	}
	n, err := elements(dims)
	if err != nil {
		return nil, nil, err
	}
	var buf bytes.Buffer
	got, err := io.Copy(&buf, io.LimitReader(r, int64(n)+1))
	if err != nil {
		return nil, nil, fmt.Errorf("idx: data: %w", err)
	}
	if got < int64(n) {
		return nil, nil, fmt.Errorf("idx: %d bytes of data, want %d", got, n)
	}
	if got > int64(n) {
		return nil, nil, fmt.Errorf("idx: file goes on after %d bytes of data", n)
	}
	return buf.Bytes(), dims, nil
}

// elements returns the product of dims, which must be within bounds.
func elements(dims []int) (int, error) {
	if len(dims) < 1 || len(dims) > maxDims {
		return 0, fmt.Errorf("idx: %d dimensions, want 1 to %d", len(dims), maxDims)
	}
	n := 1
	for _, d := range dims {
		if d < 0 || d > maxData || d > 0 && n > maxData/d {
			return 0, fmt.Errorf("idx: dimensions %d, want at most %d elements", dims, maxData)
		}
		n *= d
	}
	return n, nil
}

// short makes the end of a file that ends too soon an error of its own.
func short(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
