package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// long returns n bytes, none of which is like its neighbor.
func long(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*i>>3 + i)
	}
	return b
}

// TestBytes: bytes in memory are read from any place, and not beyond their end.
func TestBytes(t *testing.T) {
	b := Bytes("abcdef")
	for _, c := range []struct {
		off  int64
		n    int
		want string
		err  error
	}{
		{0, 6, "abcdef", nil}, {2, 3, "cde", nil}, {4, 3, "ef", io.EOF}, {6, 1, "", io.EOF}, {1 << 40, 1, "", io.EOF}, {6, 0, "", nil},
	} {
		p := make([]byte, c.n)
		if n, err := b.ReadAt(p, c.off); string(p[:n]) != c.want || !errors.Is(err, c.err) || (err != nil) != (c.err != nil) {
			t.Errorf("%d bytes from %d: got %q, %v, want %q, %v", c.n, c.off, p[:n], err, c.want, c.err)
		}
	}
	if _, err := b.ReadAt(make([]byte, 1), -1); err == nil || err == io.EOF {
		t.Errorf("from byte -1: %v", err)
	}
	if b.Size() != 6 || b.CRC() != CRC(b) || b.Memory() != nil {
		t.Errorf("size %d, checksum %08x, in memory %v", b.Size(), b.CRC(), b.Memory())
	}
}

// TestCopied: a copy has the bytes and their checksum, whether that was computed on the way or not, and stays what it
// is when the original changes.
func TestCopied(t *testing.T) {
	for _, n := range []int{0, 1, piece - 1, piece, piece + 1, 3*piece + 7} {
		for _, summed := range []bool{false, true} {
			p := long(n)
			want := bytes.Clone(p)
			h := Copied(p, summed)
			clear(p)
			if !bytes.Equal(h.Bytes(), want) || h.CRC() != CRC(want) || h.Size() != uint64(n) {
				t.Errorf("%d bytes, summed %v: the copy has %d others, with the checksum %08x", n, summed, h.Size(), h.CRC())
			}
			h.Retain()
			h.Release()
			h.Release()
		}
	}
}

// file is a value that is not in memory; less of it can be read than it has.
type file struct {
	inMemory
	size uint64
	err  error
}

func (f *file) Size() uint64 { return f.size }
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.inMemory.ReadAt(p, off)
	if err != nil && f.err != nil {
		err = f.err
	}
	return n, err
}

// TestLoaded: a value that is read has all of its bytes, or is none.
func TestLoaded(t *testing.T) {
	b := long(piece + 5)
	h, err := Loaded(&file{inMemory: b, size: uint64(len(b))})
	if err != nil || !bytes.Equal(h.Bytes(), b) || h.CRC() != CRC(b) {
		t.Errorf("got %v, %v", h, err)
	}
	broken := errors.New("the disk is broken")
	for _, c := range []struct {
		x    Blob
		want string
	}{
		{&file{inMemory: b, size: uint64(len(b) + 1)}, "a value of 65542 bytes: unexpected EOF"},
		{&file{inMemory: b[:3], size: 4, err: broken}, "a value of 4 bytes: the disk is broken"},
		{&file{size: 1 << 63}, "wire: a value in memory: got 9223372036854775808"},
	} {
		if _, err := Loaded(c.x); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
