package npz

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

func sample() map[string]*tensor.Tensor {
	return map[string]*tensor.Tensor{
		"x":     tensor.Of([]float32{1, 2, 3, 4, 5, 6}, 2, 3),
		"y":     tensor.Of([]int64{-1, 7}, 2),
		"a/b.c": tensor.Of([]bool{true}),
	}
}

// TestRoundTrip checks that arrays are written with the same bytes each time, and read back.
func TestRoundTrip(t *testing.T) {
	var one, two bytes.Buffer
	for _, w := range []*bytes.Buffer{&one, &two} {
		if err := Write(w, sample()); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("the same arrays give other bytes")
	}
	got, err := Decode(one.Bytes(), 1<<20)
	if err != nil || !maps.EqualFunc(got, sample(), tensor.Equal) {
		t.Errorf("got %v, %v", got, err)
	}
}

// archive returns a zip of files, given as alternating names and contents.
func archive(t *testing.T, method uint16, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: files[i], Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestDecodeRefuses checks the errors for malformed archives, and for those that expand to more than the
// limit.
func TestDecodeRefuses(t *testing.T) {
	var good bytes.Buffer
	if err := Write(&good, map[string]*tensor.Tensor{"x": tensor.New(tensor.Float32, 100)}); err != nil {
		t.Fatal(err)
	}
	bomb := archive(t, zip.Deflate, "x.npy", strings.Repeat("\x00", 1<<20))
	lie := bytes.ReplaceAll(bomb, []byte{0, 0, 16, 0}, []byte{16, 0, 0, 0}) // the size that it announces
	for _, c := range []struct {
		b     []byte
		limit int64
		want  string
	}{
		{nil, 1000, "npz: zip: not a valid zip file"},
		{good.Bytes(), 527, `npz: file "x.npy": announces 528 bytes, at most 527 are left of the limit`},
		{bomb, 1000, `npz: file "x.npy": announces 1048576 bytes, at most 1000 are left of the limit`},
		{lie, 1000, `npz: file "x.npy": zip: not a valid zip file`},
		{archive(t, zip.Store, "x.txt", ""), 1000, `npz: file "x.txt" is no .npy`},
		{archive(t, zip.Store, "x.npy", "hi"), 1000, `npz: file "x.npy": npy: file does not start with "\x93NUMPY"`},
	} {
		if _, err := Decode(c.b, c.limit); err == nil || err.Error() != c.want {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
	if _, err := Decode(good.Bytes(), 528); err != nil {
		t.Error(err)
	}
}

// FuzzDecode decodes arbitrary bytes; what is decoded must survive encoding.
func FuzzDecode(f *testing.F) {
	var b bytes.Buffer
	if err := Write(&b, sample()); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(decodes)
}

// decodes decodes an archive; what is decoded must survive encoding.
func decodes(t *testing.T, b []byte) {
	got, err := Decode(b, 1<<16)
	if err != nil {
		return
	}
	var w bytes.Buffer
	if err := Write(&w, got); err != nil {
		t.Fatal(err)
	}
	if again, err := Decode(w.Bytes(), 1<<20); err != nil || !maps.EqualFunc(got, again, tensor.Equal) {
		t.Errorf("written and read again: %v, want %v", err, got)
	}
}

// FuzzFiles decodes archives whose sums are right, of arbitrary files: with two names, a header of numpy's and data. One that
// announces another size than its file has must be refused.
func FuzzFiles(f *testing.F) {
	for descr, size := range map[string]int{"<f4": 4, ">f4": 4, "<f2": 2, "<i8": 8, "|b1": 1, "|u1": 1, "<c16": 16, "<U3": 12, ">U3": 12, "|S4": 4, "|O": 8, "<V8": 8, "<f16": 16, "=i4": 4} {
		for rest, n := range map[string]int{"'fortran_order': False, 'shape': (2,), }": 2, "'fortran_order': True, 'shape': (2, 3), }": 6, "'fortran_order': False, 'shape': (), }": 1, "'shape': (-1,)}": 1, "'shape': (4294967296, 4294967296), 'fortran_order': True}": 0} {
			f.Add("a.npy", "b.npy", byte(1), "{'descr': '"+descr+"', "+rest, bytes.Repeat([]byte("a\x00\x00\x00"), size*n)[:size*n], false, 0)
		}
	}
	f.Add("a.npy", "a.npy", byte(2), "{\"descr\": \"<f4\", 'fortran_order': False, 'shape': (1,), 'more': [1]}\n", []byte("1234"), true, 0)
	f.Add("a.npy", "b.npz", byte(3), "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}\n", []byte("1234"), true, 3)
	f.Add("a.npy", "b.npy", byte(4), "", []byte{}, true, -1)
	f.Fuzz(func(t *testing.T, one, two string, version byte, header string, data []byte, deflate bool, lie int) {
		if len(header) > 1<<12 || len(data) > 1<<12 || strings.HasSuffix(one, "/") || strings.HasSuffix(two, "/") { // zip writes no data into folders
			return
		}
		b := []byte{0x93, 'N', 'U', 'M', 'P', 'Y', version, 0}
		if version == 1 {
			b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
		} else {
			b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
		}
		file := string(b) + header + string(data)
		method := zip.Store
		if deflate {
			method = zip.Deflate
		}
		all := archive(t, method, one, file, two, file)
		decodes(t, all)
		if lie == 0 {
			return
		}
		var w bytes.Buffer
		z := zip.NewWriter(&w)
		raw, err := z.CreateRaw(&zip.FileHeader{Name: one, CRC32: crc32.ChecksumIEEE([]byte(file)), CompressedSize64: uint64(len(file)), UncompressedSize64: uint64(len(file) + lie)})
		if err == nil {
			_, err = io.WriteString(raw, file)
		}
		if err = errors.Join(err, z.Close()); err != nil {
			return // a name that zip does not write
		}
		if got, err := Decode(w.Bytes(), 1<<16); err == nil {
			t.Errorf("a file of %d bytes announces %d, and is read: %v", len(file), len(file)+lie, got)
		}
	})
}
