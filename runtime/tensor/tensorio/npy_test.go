package tensorio

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// npyFile returns a file of version 1 with that header and data.
func npyFile(header string, data ...byte) []byte {
	b := append([]byte(npyMagic), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	return append(append(b, header...), data...)
}

// TestNPYRoundTrips writes tensors of each type and several shapes, and reads them back.
func TestNPYRoundTrips(t *testing.T) {
	for d := tensor.Float32; d <= tensor.Int2; d++ {
		for _, shape := range [][]int{{}, {3}, {2, 3}, {2, 0}, {2, 3, 4}} {
			want := sample(d, shape...)
			b, err := AppendNPY(nil, want)
			if _, ok := npyTypes[d]; !ok && d != tensor.String {
				if err == nil || err.Error() != "npy has no "+d.String() {
					t.Errorf("%v: error %v", d, err)
				}
				continue
			}
			if data := bytes.IndexByte(b, '\n') + 1; err != nil || data%64 != 0 {
				t.Errorf("%v: %v, data at byte %d, want a multiple of 64", d, err, data)
			}
			got, err := DecodeNPY(b)
			if err != nil || !tensor.Equal(got, want) {
				t.Errorf("%v came back as %v, %v", want, got, err)
			}
		}
	}
}

// The bytes are those of numpy.save for a scalar, a vector and a matrix.
func TestAppendNPYHeader(t *testing.T) {
	for _, c := range []struct {
		x    *tensor.Tensor
		want string
	}{
		{tensor.New(tensor.Float32), "{'descr': '<f4', 'fortran_order': False, 'shape': (), }"},
		{tensor.New(tensor.Bool, 2), "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }"},
		{tensor.New(tensor.Complex128, 2, 3), "{'descr': '<c16', 'fortran_order': False, 'shape': (2, 3), }"},
	} {
		b, err := AppendNPY(nil, c.x)
		if err != nil || !bytes.HasPrefix(b, []byte("\x93NUMPY\x01\x00\x76\x00"+c.want+" ")) || b[127] != '\n' {
			t.Errorf("%q, %v, want %q", b, err, c.want)
		}
	}
}

// TestDecodeNPYFortran reads an array in column-major order.
func TestDecodeNPYFortran(t *testing.T) {
	b := npyFile("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 2), }", 0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11)
	got, err := DecodeNPY(b)
	if want := tensor.Of([]uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 2, 3, 2); err != nil || !tensor.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want.Data)
	}
}

// TestDecodeNPYVersion2 reads a file of version 2, whose header has a longer length.
func TestDecodeNPYVersion2(t *testing.T) {
	header := `{"shape":(1,),"fortran_order":False,"descr":"=i2"}`
	b := binary.LittleEndian.AppendUint32(append([]byte(npyMagic), 2, 0), uint32(len(header)))
	got, err := DecodeNPY(append(append(b, header...), 1, 2))
	if want := tensor.Of([]int16{0x201}, 1); err != nil || !tensor.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want.Data)
	}
}

// TestDecodeNPYRefuses checks the errors for malformed .npy files.
func TestDecodeNPYRefuses(t *testing.T) {
	const head = "{'descr': '<f4', 'fortran_order': False, "
	for _, c := range []struct {
		b    []byte
		want string
	}{
		{nil, `npy: file does not start with "\x93NUMPY"`},
		{[]byte(npyMagic + "\x04\x00\x00\x00"), "npy: version is 4, want 1 to 3"},
		{[]byte(npyMagic + "\x01\x00\x00"), "npy: file ends after 9 bytes, in the header's length"},
		{[]byte(npyMagic + "\x01\x00\x09\x00{"), "npy: header has 1 bytes, want 9"},
		{npyFile(""), `npy: found "", want {`},
		{npyFile("{}"), `npy: header has no "descr"`},
		{npyFile(head + "}"), `npy: header has no "shape"`},
		{npyFile(head + "'shape': (2)}x"), `npy: header has "x" after its end`},
		{npyFile(head + "'shape': (2 3)}"), `npy: header key "shape": found "3)}", want , or )`},
		{npyFile(head + "'shape': (-1,)}"), `npy: header key "shape": found "-1,)}", want a dimension`},
		{npyFile(head + "'shape': ("), `npy: header key "shape": found "", want a dimension`},
		{npyFile(head + "'descr': '<f4'}"), `npy: header key "descr": is there twice`},
		{npyFile(head + "'x': 1}"), `npy: header key "x": unknown, want descr, fortran_order or shape`},
		{npyFile("{'fortran_order': 1}"), `want True or False`},
		{npyFile("{'descr': [('a', '<f4')]}"), `npy: header key "descr": found "[('a', '<f4')]}", want a string`},
		{npyFile("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}"), `npy: descr ">f4" is big-endian, want little-endian`},
		{npyFile("{'descr': '<M8[D]', 'fortran_order': False, 'shape': (1,)}"), `npy: descr is "<M8[D]", want a bool, integer, float, complex or string type`},
		{npyFile(head+"'shape': (2,)}", 1, 2, 3), "npy: data has 3 bytes, want 8 for float32[2]"},
		{npyFile(head + "'shape': (1073741824, 1073741824)}"), "shape [1073741824 1073741824] has more than"},
	} {
		if _, err := DecodeNPY(c.b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// FuzzDecodeNPY decodes arbitrary bytes; what is decoded must survive encoding.
func FuzzDecodeNPY(f *testing.F) {
	for d := range npyTypes {
		b, err := AppendNPY(nil, sample(d, 2, 3))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add(npyFile("{'descr': '<U2', 'fortran_order': True, 'shape': (1, 2), }", 'a', 0, 0, 0, 'b', 0, 0, 0, 'c', 0, 0, 0, 0, 0, 0, 0))
	f.Add(npyFile("{'descr': '|S2', 'fortran_order': False, 'shape': (2,), }", 'a', 0, 'b', 'c'))
	f.Add(npyFile("{'descr': '<f2', 'fortran_order': True, 'shape': (2, 1, 2), }", 1, 2, 3, 4, 5, 6, 7, 8))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := DecodeNPY(b)
		if err != nil {
			return
		}
		out, err := AppendNPY(nil, x)
		if err != nil {
			t.Fatal(err)
		}
		if y, err := DecodeNPY(out); err != nil || !tensor.Equal(x, y) {
			t.Errorf("%v came back as %v, %v", x, y, err)
		}
	})
}
