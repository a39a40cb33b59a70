package tensorio

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestDecodeNPYStrings reads what numpy.save writes for arrays of str and of bytes.
func TestDecodeNPYStrings(t *testing.T) {
	for _, c := range []struct {
		descr, fortran, shape string
		data                  string
		want                  *tensor.Tensor
	}{
		{"<U2", "False", "(2,)", "a\x00\x00\x00\xe9\x00\x00\x00\x00\xf6\x01\x00\x00\x00\x00\x00", tensor.Of([]string{"aé", "😀"}, 2)},
		{"|S3", "False", "(3,)", "abcd\x00\x00\x00\x00\x00", tensor.Of([]string{"abc", "d", ""}, 3)},
		{"|S1", "True", "(2, 2)", "acbd", tensor.Of([]string{"a", "b", "c", "d"}, 2, 2)},
		{"<U1", "False", "()", "x\x00\x00\x00", tensor.Of([]string{"x"})},
		{"<U1", "False", "(0,)", "", tensor.Of([]string{}, 0)},
	} {
		header := "{'descr': '" + c.descr + "', 'fortran_order': " + c.fortran + ", 'shape': " + c.shape + ", }"
		got, err := DecodeNPY(npyFile(header, []byte(c.data)...))
		if err != nil || !tensor.Equal(got, c.want) {
			t.Errorf("%s: got %v, %v, want %q", header, got, err, c.want.Data)
		}
	}
}

// TestDecodeNPYRefusesStrings checks the errors for malformed arrays of strings.
func TestDecodeNPYRefusesStrings(t *testing.T) {
	for _, c := range []struct{ descr, shape, data, want string }{
		{"|O", "(1,)", "", `npy: descr is "|O", Python objects: save strings with astype(str)`},
		{">U1", "(1,)", "\x00\x00\x00a", `npy: descr ">U1" is big-endian, want little-endian`},
		{"<U0", "(100000000,)", "", `npy: descr is "<U0", want a bool, integer, float, complex or string type`},
		{"<U99999999999", "(1,)", "", `npy: descr is "<U99999999999", want`},
		{"<U2", "(100000000,)", "abcd", "npy: data has 4 bytes, want 100000000 elements of 8 bytes for <U2[100000000]"},
		{"<U1", "(1,)", "\x00\xd8\x00\x00", "npy: element 0: character 0xd800 is not in Unicode"},
		{"<U1", "(1,)", "\xff\xff\xff\xff", "npy: element 0: character 0xffffffff is not in Unicode"},
		{"|S1", "(2,)", "a\xff", "npy: element 1: is not UTF-8"},
	} {
		header := "{'descr': '" + c.descr + "', 'fortran_order': False, 'shape': " + c.shape + ", }"
		if _, err := DecodeNPY(npyFile(header, []byte(c.data)...)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", header, err, c.want)
		}
	}
}

// TestAppendNPYRefusesStrings checks which strings an .npy file cannot hold.
func TestAppendNPYRefusesStrings(t *testing.T) {
	for x, want := range map[string]string{
		"a\x00": "npy cannot hold element 0, which ends with a zero",
		"\xff":  "npy cannot hold element 0, which is not UTF-8",
	} {
		if _, err := AppendNPY(nil, tensor.Of([]string{x}, 1)); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", x, err, want)
		}
	}
}

// TestWidestStrings: types with more characters than memory has places are refused, also where their size overflows an int.
func TestWidestStrings(t *testing.T) {
	for _, descr := range []string{"<U536870912", "<U1073741824", "<U2147483647", "|S2147483647", "<U4294967296", "<U4611686018427387904"} {
		for _, shape := range []string{"(0,)", "(1,)", "()", "(4,)"} {
			header := "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }"
			if _, err := DecodeNPY(npyFile(header, 'a', 0, 0, 0)); err == nil {
				t.Errorf("%s is read", header)
			}
		}
	}
}
