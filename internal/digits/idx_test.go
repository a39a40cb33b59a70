package digits

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestIDX(t *testing.T) {
	images, labels := Render(1, 3)
	for _, tt := range []struct {
		data []byte
		dims []int
		head string
	}{
		{images, []int{3, Size, Size}, "\x00\x00\x08\x03\x00\x00\x00\x03\x00\x00\x00\x1c\x00\x00\x00\x1c"},
		{labels, []int{3}, "\x00\x00\x08\x01\x00\x00\x00\x03"},
		{nil, []int{0, Size, Size}, "\x00\x00\x08\x03\x00\x00\x00\x00\x00\x00\x00\x1c\x00\x00\x00\x1c"},
	} {
		var buf bytes.Buffer
		if err := WriteIDX(&buf, tt.data, tt.dims...); err != nil {
			t.Fatal(err)
		}
		if got := buf.String(); got != tt.head+string(tt.data) {
			t.Errorf("%d: file begins with %q, want %q", tt.dims, got[:len(tt.head)], tt.head)
		}
		data, dims, err := ReadIDX(&buf)
		if err != nil || !slices.Equal(dims, tt.dims) || !bytes.Equal(data, tt.data) {
			t.Errorf("%d: read back %d bytes of dimensions %d, %v", tt.dims, len(data), dims, err)
		}
	}
}

func TestReadIDXRefuses(t *testing.T) {
	for _, tt := range []struct{ file, want string }{
		{"", "idx: header: unexpected EOF"},
		{"\x1f\x8b\x08\x00", "idx: file begins with 1f 8b, want 00 00"},
		{"\x00\x00\x0d\x01", "idx: elements have type 0x0d, want 0x08 (bytes)"},
		{"\x00\x00\x08\x00", "idx: 0 dimensions, want 1 to 4"},
		{"\x00\x00\x08\xff", "idx: 255 dimensions, want 1 to 4"},
		{"\x00\x00\x08\x02\x00\x00\x00\x01", "idx: dimensions: unexpected EOF"},
		{"\x00\x00\x08\x01\xff\xff\xff\xff", "idx: dimension 4294967295, want at most 1073741824"},
		{"\x00\x00\x08\x02\x00\x10\x00\x00\x00\x10\x00\x00", "idx: dimensions [1048576 1048576], want at most 1073741824 elements"},
		{"\x00\x00\x08\x01\x40\x00\x00\x00ab", "idx: 2 bytes of data, want 1073741824"},
		{"\x00\x00\x08\x01\x00\x00\x00\x01ab", "idx: file goes on after 1 bytes of data"},
	} {
		if _, _, err := ReadIDX(strings.NewReader(tt.file)); err == nil || err.Error() != tt.want {
			t.Errorf("%q: error %v, want %s", tt.file, err, tt.want)
		}
	}
}

func TestWriteIDXRefuses(t *testing.T) {
	for _, tt := range []struct {
		dims []int
		want string
	}{
		{nil, "idx: 0 dimensions, want 1 to 4"},
		{[]int{3}, "idx: 2 bytes for dimensions [3], want 3"},
		{[]int{-1, -2}, "idx: dimensions [-1 -2], want at most 1073741824 elements"},
	} {
		var buf bytes.Buffer
		if err := WriteIDX(&buf, []byte("ab"), tt.dims...); err == nil || err.Error() != tt.want || buf.Len() > 0 {
			t.Errorf("%d: error %v after %d bytes, want %s before the first", tt.dims, err, buf.Len(), tt.want)
		}
	}
}

// FuzzReadIDX holds that what can be read is what would be written.
func FuzzReadIDX(f *testing.F) {
	f.Add([]byte("\x00\x00\x08\x01\x00\x00\x00\x02ab"))
	f.Add([]byte("\x00\x00\x08\x03\x00\x00\x00\x00\x00\x00\x00\x1c\x00\x00\x00\x1c"))
	f.Add([]byte("\x00\x00\x08\x01\x40\x00\x00\x00ab"))
	f.Fuzz(func(t *testing.T, file []byte) {
		data, dims, err := ReadIDX(bytes.NewReader(file))
		if err != nil {
			return
		}
		var buf bytes.Buffer
		if err := WriteIDX(&buf, data, dims...); err != nil || !bytes.Equal(buf.Bytes(), file) {
			t.Errorf("%q reads as %d %q, which is written as %q, %v", file, dims, data, buf.Bytes(), err)
		}
	})
}
