package raw_test

import (
	"bytes"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/raw"
)

// TestBytes encodes tensors, and decodes them again.
func TestBytes(t *testing.T) {
	for _, c := range []struct {
		t    *tensor.Tensor
		want []byte
	}{
		{tensor.Of([]float32{1}), []byte{0, 0, 0x80, 0x3f}},
		{tensor.Of([]int16{1, -2}, 2), []byte{1, 0, 0xfe, 0xff}},
		{tensor.Of([]bool{true, false}, 2), []byte{1, 0}},
		{tensor.Of([]tensor.I4{1, -1, 7}, 3), []byte{0xf1, 0x07}},
		{tensor.Of([]tensor.U2{0, 1, 2, 3, 1}, 5), []byte{0b11100100, 1}},
		{tensor.New(tensor.Int64, 0), nil},
	} {
		if n := raw.Len(c.t.Len(), c.t.DType); n != int64(len(c.want)) {
			t.Errorf("%v has %d bytes, want %d", c.t, n, len(c.want))
		}
		if got := raw.Append([]byte{9}, c.t); !bytes.Equal(got, append([]byte{9}, c.want...)) {
			t.Errorf("%v is appended as %x, want %x", c.t, got[1:], c.want)
		}
		var w bytes.Buffer
		if err := raw.Write(&w, c.t); err != nil || !bytes.Equal(w.Bytes(), c.want) {
			t.Errorf("%v is written as %x, %v; want %x", c.t, w.Bytes(), err, c.want)
		}
		read := tensor.New(c.t.DType, c.t.Shape...)
		if err := raw.Read(read, func(b []byte) error {
			if copy(b, c.want); len(b) != len(c.want) {
				t.Errorf("%v is read from %d bytes, want %d", c.t, len(b), len(c.want))
			}
			return nil
		}); err != nil || !bytes.Equal(read.Bytes(), c.t.Bytes()) {
			t.Errorf("%x is read as %v, %v; want %v", c.want, read, err, c.t)
		}
		back := tensor.New(c.t.DType, c.t.Shape...)
		if raw.Fill(back, c.want); !bytes.Equal(back.Bytes(), c.t.Bytes()) {
			t.Errorf("%x is read as %v, want %v", c.want, back.Data, c.t.Data)
		}
	}
	odd := tensor.New(tensor.Bool, 2)
	if raw.Fill(odd, []byte{0, 7}); tensor.Data[bool](odd)[0] || !tensor.Data[bool](odd)[1] {
		t.Errorf("bytes 0 and 7 are %v, want false and true", odd.Data)
	}
}
