package safetensors

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// file returns a file with this header and data bytes of data.
func file(header string, data int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	b = append(b, header...)
	return append(b, make([]byte, data)...)
}

func equal(a, b *File) bool {
	return maps.Equal(a.Metadata, b.Metadata) && maps.EqualFunc(a.Tensors, b.Tensors, tensor.Equal)
}

// everyType returns a file with a tensor of each type.
func everyType() *File {
	f := &File{Metadata: map[string]string{"format": "pt", "a": `"<\` + "\n"}, Tensors: map[string]*tensor.Tensor{}}
	for _, d := range dtypes {
		t := tensor.New(d.dtype, 3, 2)
		for i := range t.Bytes() {
			t.Bytes()[i] = byte(i) & 1
		}
		f.Tensors["x."+d.name] = t
	}
	f.Tensors[""] = tensor.Of([]float32{1.5})
	f.Tensors["none"] = tensor.New(tensor.Float32, 0, 1<<30)
	return f
}

// TestRoundTrip writes files with each element type and reads them back.
func TestRoundTrip(t *testing.T) {
	for _, f := range []*File{everyType(), {}, {Metadata: map[string]string{}}} {
		b, err := f.Append([]byte("front"))
		if err != nil {
			t.Fatal(err)
		}
		b = b[5:]
		if n := binary.LittleEndian.Uint64(b); n%8 != 0 {
			t.Errorf("the header has %d bytes, want a multiple of 8", n)
		}
		got, err := Decode(b)
		if err != nil || !equal(got, f) {
			t.Errorf("%d bytes read as %v, %v", len(b), got, err)
		}
		var w bytes.Buffer
		if n, err := f.WriteTo(&w); err != nil || n != int64(len(b)) || !bytes.Equal(w.Bytes(), b) {
			t.Errorf("WriteTo: %d bytes, %v, not the %d of Append", n, err, len(b))
		}
	}
}

// The bytes are those that the reference implementation writes.
func TestGolden(t *testing.T) {
	f := &File{
		Metadata: map[string]string{"z": "1", "a": "2"},
		Tensors: map[string]*tensor.Tensor{
			"b": tensor.Of([]uint64{1}, 1),
			"a": tensor.Of([]float32{1, 2, 3}, 3),
			"c": tensor.Of([]bool{true, false}, 2),
		},
	}
	want := file(`{"__metadata__":{"a":"2","z":"1"},"b":{"dtype":"U64","shape":[1],"data_offsets":[0,8]},`+
		`"a":{"dtype":"F32","shape":[3],"data_offsets":[8,20]},"c":{"dtype":"BOOL","shape":[2],"data_offsets":[20,22]}}   `, 0)
	want = append(want, "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40\x01\x00"...)
	got, err := f.Append(nil)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %q, %v\nwant %q", got, err, want)
	}
}

// TestDecodeRefuses checks the errors for malformed files.
func TestDecodeRefuses(t *testing.T) {
	const a = `"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}`
	for _, c := range []struct {
		b    []byte
		want string
	}{
		{nil, "file has 0 bytes, want at least 8"},
		{[]byte("\xff\xff\xff\xff\xff\xff\xff\xff"), "header has 18446744073709551615 bytes, want at most 100000000"},
		{[]byte("\x03\x00\x00\x00\x00\x00\x00\x00{}"), "header has 3 bytes, the file only 2 behind its length"},
		{file("", 0), `header: begins with "", want {`},
		{file(" {}", 0), `header: begins with " {}", want {`},
		{file("{", 0), "header: unexpected EOF"},
		{file("{}x", 0), `header: goes on after its end with "x"`},
		{file("{}\n", 0), `header: goes on after its end with "\n"`},
		{file("{}", 1), "file has 1 bytes of data, its tensors 0"},
		{file("{\"\xff\":1}", 0), "header: is not UTF-8"},
		{file(`{"a":[]}`, 0), `header: "a": found [, want {`},
		{file(`{"a":{}}`, 0), `header: "a": want dtype, shape and data_offsets`},
		{file(`{"a":{"x":{}}}`, 0), `header: "a": "x": unknown, want dtype, shape or data_offsets`},
		{file(`{"a":{"dtype":"U8","dtype":"U8"}}`, 0), `header: "a": "dtype" is there twice`},
		{file(`{`+a+`,`+a+`}`, 2), `header: "a" is there twice`},
		{file(`{"__metadata__":{"a":1}}`, 0), `header: "__metadata__": "a": found 1, want a string`},
		{file(`{"__metadata__":{"a":{}}}`, 0), `header: "__metadata__": "a": found {, want a string`},
		{file(`{"a":{"dtype":"F6_E2M3"}}`, 0), `header: "a": "dtype": "F6_E2M3" is no type that can be read`},
		{file(`{"a":{"shape":[-1]}}`, 0), `header: "a": "shape": found -1, want a whole number from 0 on`},
		{file(`{"a":{"shape":[1e3]}}`, 0), `header: "a": "shape": found 1e3, want a whole number from 0 on`},
		{file(`{"a":{"shape":[[1]]}}`, 0), `header: "a": "shape": found [, want a number`},
		{file(`{"a":{"shape":[`+strings.Repeat("1,", 255)+`1]}}`, 0), `header: "a": "shape": more than 255 numbers`},
		{file(`{"a":{"data_offsets":[0,1,2]}}`, 0), `header: "a": "data_offsets": more than 2 numbers`},
		{file(`{"a":{"data_offsets":[2,1]}}`, 0), `header: "a": "data_offsets": is [2 1], want where the tensor begins and ends`},
		{file(`{`+a+`}`, 1), `tensor "a" ends at byte 2 of 1`},
		{file(`{`+a+`}`, 3), "file has 3 bytes of data, its tensors 2"},
		{file(`{`+a+`,"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`, 3), `tensor "b" begins at byte 1, want 2, where the one before it ends`},
		{file(`{`+a+`,"b":{"dtype":"U8","shape":[2],"data_offsets":[3,5]}}`, 5), `tensor "b" begins at byte 3, want 2, where the one before it ends`},
		{file(`{`+a+`,"b":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}`, 2), `tensor "b" begins at byte 0, want 2, where the one before it ends`},
		{file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,2]}}`, 2), `tensor "a": bytes 0 to 2, want 8 of them for float32[2]`},
		{file(`{"a":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}}`, 2), `tensor "a": float4e2m1[3] does not fill its last byte`},
		{file(`{"a":{"dtype":"U8","shape":[1073741824,1073741824],"data_offsets":[0,2]}}`, 2), fmt.Sprintf(`tensor "a": shape [1073741824 1073741824] has more than %d elements`, min(1<<48, math.MaxInt>>4))},
		{file(`{"a":{"dtype":"U8","shape":[67108864],"data_offsets":[0,67108864]}}`, 2), `tensor "a" ends at byte 67108864 of 2`},
	} {
		if _, err := Decode(c.b); err == nil || err.Error() != "safetensors: "+c.want {
			t.Errorf("%.60q:\n got %v\nwant safetensors: %s", c.b, err, c.want)
		}
	}
}

// TestReadShort checks that files that end too early are refused.
func TestReadShort(t *testing.T) {
	b, err := everyType().Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 7, 8, 100, len(b) - 1} {
		if _, err := Read(bytes.NewReader(b[:n]), int64(len(b))); err == nil {
			t.Errorf("a file that ends after %d of %d bytes is read", n, len(b))
		}
	}
}

// TestAppendRefuses checks which tensors a file cannot hold.
func TestAppendRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		t    *tensor.Tensor
		want string
	}{
		{"__metadata__", tensor.New(tensor.Float32), `safetensors: tensor "__metadata__": the name is taken by the format`},
		{"a", tensor.New(tensor.String, 1), `safetensors: tensor "a": the format has no string`},
		{"a", tensor.New(tensor.Float4E2M1, 3), `safetensors: tensor "a": float4e2m1[3] does not fill its last byte`},
		{"\xff", tensor.New(tensor.Float32), `safetensors: tensor "\xff": not UTF-8`},
	} {
		f := &File{Tensors: map[string]*tensor.Tensor{c.name: c.t}}
		if _, err := f.Append(nil); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
		if n, err := f.WriteTo(io.Discard); err == nil || n != 0 {
			t.Errorf("WriteTo: %d bytes, %v", n, err)
		}
	}
}

// FuzzDecode checks that every readable file is written and read again unchanged.
func FuzzDecode(f *testing.F) {
	b, err := everyType().Append(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(file(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}`, 2))
	f.Add(file(`{"a":{"dtype":"F4","shape":[2,0],"data_offsets":[0,0]},"__metadata__":{}} `, 0))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := Decode(b)
		if err != nil {
			return
		}
		again, err := got.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Decode(again)
		if err != nil || !equal(back, got) {
			t.Errorf("%q is written as %q, %v", b, again, err)
		}
	})
}
