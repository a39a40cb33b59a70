package safetensors

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

var errFull = errors.New("no space left")

// full is a disk with room for some bytes.
type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	n := min(len(b), f.room)
	f.room -= n
	if n < len(b) {
		return n, errFull
	}
	return n, nil
}

// WriteTo writes what Append appends, and reports how many bytes were written when the disk is full.
func TestWriteToFullDisk(t *testing.T) {
	f := &File{Metadata: map[string]string{"format": "pt", "by": "a test"}, Tensors: map[string]*tensor.Tensor{
		"a": tensor.Of([]float32{1, 2}, 2), "b": tensor.Of([]int8{3}, 1), "none": tensor.New(tensor.Float32, 0),
	}}
	want, err := f.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	var whole bytes.Buffer
	if n, err := f.WriteTo(&whole); err != nil || n != int64(len(want)) || !bytes.Equal(whole.Bytes(), want) {
		t.Fatalf("%d bytes, %v, want the %d that are appended", n, err, len(want))
	}
	for room := range len(want) {
		if n, err := f.WriteTo(&full{room}); !errors.Is(err, errFull) || n != int64(room) {
			t.Errorf("with room for %d bytes: wrote %d, %v, want %v", room, n, err, errFull)
		}
	}
}

// Names and metadata that are no UTF-8 would be other names when they are read: they are refused, and nothing is written.
func TestNamesRefused(t *testing.T) {
	x := tensor.Of([]float32{1}, 1)
	for want, f := range map[string]*File{
		`safetensors: tensor "\xff": `:       {Tensors: map[string]*tensor.Tensor{"\xff": x}},
		`safetensors: metadata key "\xff": `: {Metadata: map[string]string{"\xff": "v"}},
		`safetensors: metadata "k": `:        {Metadata: map[string]string{"k": "\xff"}},
	} {
		var b bytes.Buffer
		if n, err := f.WriteTo(&b); err == nil || !strings.HasPrefix(err.Error(), want) || n+int64(b.Len()) > 0 {
			t.Errorf("wrote %d bytes, %v, want %s", n, err, want)
		}
		if b, err := f.Append([]byte("x")); err == nil || b != nil {
			t.Errorf("appended %q, %v, want %s", b, err, want)
		}
	}
}
