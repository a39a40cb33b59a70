package dataset

import (
	"bytes"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

func TestIDX(t *testing.T) {
	for _, tt := range []struct {
		t    *tensor.Tensor
		want string
	}{
		{tensor.Of([]byte("ab"), 2), "\x00\x00\x08\x01\x00\x00\x00\x02ab"},
		{tensor.Of([]byte{}, 0, 28, 28), "\x00\x00\x08\x03\x00\x00\x00\x00\x00\x00\x00\x1c\x00\x00\x00\x1c"},
		{tensor.Of([]int16{1, -2}, 1, 2), "\x00\x00\x0b\x02\x00\x00\x00\x01\x00\x00\x00\x02\x00\x01\xff\xfe"},
		{tensor.Of([]float32{1}, 1), "\x00\x00\x0d\x01\x00\x00\x00\x01\x3f\x80\x00\x00"},
		{tensor.Of([]int8{-1}, 1), "\x00\x00\x09\x01\x00\x00\x00\x01\xff"},
		{tensor.Of([]int32{-1}), "\x00\x00\x0c\x00\xff\xff\xff\xff"},
		{tensor.Of([]float64{1}, 1), "\x00\x00\x0e\x01\x00\x00\x00\x01\x3f\xf0\x00\x00\x00\x00\x00\x00"},
	} {
		b, err := AppendIDX(nil, tt.t)
		if err != nil || string(b) != tt.want {
			t.Errorf("%v is written as %q, %v, want %q", tt.t, b, err, tt.want)
		}
		if back, err := DecodeIDX(b); err != nil || !tensor.Equal(back, tt.t) {
			t.Errorf("%v is read as %v, %v", tt.t, back, err)
		}
	}
	if _, err := AppendIDX(nil, tensor.New(tensor.Int64, 1)); err == nil || err.Error() != "idx has no int64" {
		t.Errorf("int64: %v", err)
	}
}

func TestDecodeIDXRefuses(t *testing.T) {
	for _, tt := range []struct{ file, want string }{
		{"", "idx: file has 0 bytes, want at least 4"},
		{"\x1f\x8b\x08\x00", "idx: file begins with 1f 8b, want 00 00"},
		{"\x00\x00\x0f\x01", "idx: elements have type 0x0f, want 0x08 (bytes), 0x09, 0x0b, 0x0c, 0x0d or 0x0e"},
		{"\x00\x00\x08\xff", "idx: file ends in its 255 dimensions"},
		{"\x00\x00\x08\x01\xff\xff\xff\xff", "idx: dimension 4294967295, want at most 2147483647"},
		{"\x00\x00\x08\x01\x04\x00\x00\x00ab", "idx: 2 bytes of data, want 67108864 for uint8[67108864]"},
		{"\x00\x00\x08\x01\x00\x00\x00\x01ab", "idx: 2 bytes of data, want 1 for uint8[1]"},
	} {
		if _, err := DecodeIDX([]byte(tt.file)); err == nil || err.Error() != tt.want {
			t.Errorf("%q: error %v, want %s", tt.file, err, tt.want)
		}
	}
}

// FuzzDecodeIDX checks that a readable file is written again unchanged.
func FuzzDecodeIDX(f *testing.F) {
	f.Add([]byte("\x00\x00\x08\x01\x00\x00\x00\x02ab"))
	f.Add([]byte("\x00\x00\x0b\x02\x00\x00\x00\x01\x00\x00\x00\x02\x00\x01\xff\xfe"))
	f.Fuzz(func(t *testing.T, file []byte) {
		x, err := DecodeIDX(file)
		if err != nil {
			return
		}
		if b, err := AppendIDX(nil, x); err != nil || !bytes.Equal(b, file) {
			t.Errorf("%q reads as %v, which is written as %q, %v", file, x, b, err)
		}
	})
}
