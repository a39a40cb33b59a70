package tensorio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// form is a format with a small file of it.
type form struct {
	name   string
	file   []byte
	decode func(b []byte) (any, error)
	whole  bool // each beginning of a file is an error
}

func forms(t *testing.T) []form {
	array := func(x *tensor.Tensor) []byte {
		b, err := AppendNPY(nil, x)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	npy := func(b []byte) (any, error) { return DecodeNPY(b) }
	one := func(b []byte) (any, error) { v, _, err := DecodeTensor(b); return v, err }
	return []form{
		{"npy", array(sample(tensor.Float32, 2, 3)), npy, true},
		{"npy of columns", npyFile("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 2), }", 1, 2, 3, 4, 5, 6, 7, 8), npy, true},
		{"npy of strings", array(sample(tensor.String, 3)), npy, true},
		{"tensor", AppendTensor(nil, "x", sample(tensor.Float32, 2, 3)), one, true},
		{"tensor of strings", AppendTensor(nil, "x", sample(tensor.String, 3)), one, false}, // only the name is behind them
		{"tensor of numbers", appendMessage([]byte{8, 3, 16, 7}, tensorInt64Data, []byte{1, 0x80, 1, 3}), one, true},
		{"sequence", AppendSequence(nil, "s", values()[3]), func(b []byte) (any, error) { v, _, err := DecodeSequence(b); return v, err }, false},
		{"optional", AppendOptional(nil, "o", &tensor.Optional{Value: values()[1]}), func(b []byte) (any, error) { v, _, err := DecodeOptional(b); return v, err }, false},
		{"map", AppendMap(nil, "m", tensor.MapOf([]string{"a", "b"}, []float32{5, 6})), func(b []byte) (any, error) { v, _, err := DecodeMap(b); return v, err }, false},
	}
}

// TestTruncated reads every beginning of small files.
func TestTruncated(t *testing.T) {
	for _, c := range forms(t) {
		if _, err := c.decode(c.file); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		refused := 0
		for n := range len(c.file) {
			v, err := c.decode(c.file[:n:n])
			if err != nil {
				refused++
			}
			if c.whole && err == nil {
				t.Errorf("%s: the first %d of %d bytes are read as %v", c.name, n, len(c.file), v)
			}
		}
		if refused < len(c.file)/2 {
			t.Errorf("%s: only %d of %d beginnings are refused", c.name, refused, len(c.file))
		}
	}
}

// TestDamaged changes each byte of small files, which must neither panic nor allocate what only a damaged size says.
func TestDamaged(t *testing.T) {
	for _, c := range forms(t) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		refused := 0
		for i := range c.file {
			for _, to := range []byte{0, 0x7f, 0xff, c.file[i] ^ 1, c.file[i] ^ 0x80, '9'} {
				b := bytes.Clone(c.file)
				b[i] = to
				if _, err := c.decode(b); err != nil {
					refused++
				}
			}
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > uint64(len(c.file))<<17 {
			t.Errorf("%s: %d bytes are allocated for %d files of %d bytes", c.name, took, 6*len(c.file), len(c.file))
		}
		if refused == 0 {
			t.Errorf("%s: no damage is noticed", c.name)
		}
	}
}

// TestHeaders reads headers as other programs may write them, and shows the errors for others.
func TestHeaders(t *testing.T) {
	const rest = "'fortran_order': False, 'shape': (2,)"
	for _, c := range []struct{ header, want string }{
		{"{'descr': '|u1', " + rest + "}", ""},
		{"  { 'descr' :\t'|u1' ,\n" + rest + " , } \n", ""},
		{`{"shape": ( 2 , ) , "descr": "u1", "fortran_order": True}`, ""},
		{"{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2)}", ""},
		{"{'descr': '|u1', 'fortran_order': False, 'shape': (002,)}", ""},
		{"{'descr': '|u1' " + rest + "}", `npy: header has "'fortran_order': Fal", want , or }`},
		{"{'descr': '|u1", `npy: header key "descr": found "|u1", want a closing '`},
		{"{'descr", `npy: header key "": found "descr", want a closing '`},
		{"{'descr' '|u1'}", `npy: header key "descr": found "'|u1'}", want :`},
		{"{descr: '|u1'}", `npy: header key "": found "descr: '|u1'}", want a string`},
		{"{'shape': 2}", `npy: header key "shape": found "2}", want (`},
		{"{'shape': (2,,)}", `npy: header key "shape": found ",)}", want a dimension`},
		{"{'shape': (2L,)}", `npy: header key "shape": found "L,)}", want , or )`},
		{"{'shape': (" + strings.Repeat("1,", 256) + ")}", `npy: header key "shape": more than 255 dimensions`},
		{"{'fortran_order': None}", `npy: header key "fortran_order": found "None}", want True or False`},
		{"{" + rest + "}", `npy: header has no "descr"`},
		{"{'descr': '|u1', 'shape': (2,)}", `npy: header has no "fortran_order"`},
		{"{'descr': '|u1', " + rest + "}}", `npy: header has "}" after its end`},
		{"{'descr': '|U1', 'fortran_order': False, 'shape': (1000000000, 1000000000)}", tooMany("npy: ", 1e9, 1e9)},
	} {
		x, err := DecodeNPY(npyFile(c.header, 1, 2))
		if c.want == "" && (err != nil || fmt.Sprint(x.Data) != "[1 2]") || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%s: got %v, %v\nwant %s", c.header, x, err, c.want)
		}
	}
	long := slices.Repeat([]int{1}, 30000)
	for _, d := range []tensor.DType{tensor.Int8, tensor.String} {
		if _, err := AppendNPY(nil, tensor.New(d, long...)); err == nil || err.Error() != "npy has no room for 30000 dimensions" {
			t.Errorf("%v: %v", d, err)
		}
	}
}

// tooMany is the error for a shape that no tensor can have on this machine.
func tooMany(prefix string, shape ...int) string {
	_, err := tensor.NumElements(shape)
	return prefix + err.Error()
}

// TestRowMajor compares arrays in columns with the formula of their elements' places.
func TestRowMajor(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		shape, n := make([]int, r.IntN(5)), 1
		for i := range shape {
			shape[i] = r.IntN(4)
			n *= shape[i]
		}
		size := 1 + r.IntN(4)
		src, want := make([]byte, n*size), make([]byte, n*size)
		for i := range src {
			src[i] = byte(r.Uint32())
		}
		for i := range n { // of a row-major array
			place, rest, step := 0, i, n
			for k := len(shape) - 1; k >= 0; k-- {
				step /= shape[k] // the product of the dimensions before k
				place += rest % shape[k] * step
				rest /= shape[k]
			}
			copy(want[i*size:], src[place*size:][:size])
		}
		if got := rowMajor(src, shape, size); !bytes.Equal(got, want) {
			t.Errorf("%v of %d bytes: %v\nwant %v", shape, size, got, want)
		}
	}
}

// TestOutside reads data that are not in the message, only if their size is right.
func TestOutside(t *testing.T) {
	read := func(b []byte) error {
		for i := range b {
			b[i] = byte(i)
		}
		return nil
	}
	broken := errors.New("the file is gone")
	for _, c := range []struct {
		f    Fields
		size int64
		read func([]byte) error
		want string
	}{
		{Fields{DType: 2, Dims: []int64{2, 2}}, 4, read, "uint8[2,2] [0 1 2 3]"},
		{Fields{DType: 5, Dims: []int64{2}}, 4, read, "int16[2] [256 770]"},
		{Fields{DType: 22, Dims: []int64{3}}, 2, read, "int4[3] [0 0 1]"},
		{Fields{DType: 9, Dims: []int64{3}}, 3, read, "bool[3] [false true true]"},
		{Fields{DType: 2, Dims: []int64{0}}, 0, read, "uint8[0] []"},
		{Fields{DType: 2, Dims: []int64{2}}, 2, func([]byte) error { return broken }, "the file is gone"},
		{Fields{DType: 2, Dims: []int64{2}}, 3, nil, "raw_data has 3 bytes, want 2 for uint8[2]"},
		{Fields{DType: 1, Dims: []int64{1 << 26}}, -1, nil, "raw_data has -1 bytes, want 268435456 for float32[67108864]"},
		{Fields{DType: 8, Dims: []int64{1}}, 1, nil, "string[1] is in raw_data, want string_data"},
		{Fields{DType: 99}, 1, nil, "data_type is 99, want 1 to 26"},
		{Fields{DType: 1, Dims: []int64{-1}}, 1, nil, tooMany("", -1)},
	} {
		x, err := c.f.Outside(c.size, c.read)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(x, " ", x.Data)
		}
		if got != c.want {
			t.Errorf("%+v: got %s, want %s", c.f, got, c.want)
		}
	}
}

// TestMessagesRefused shows the errors for values that are nested, or of wire types that their fields do not have.
func TestMessagesRefused(t *testing.T) {
	one := AppendTensor(nil, "", sample(tensor.Float32))
	values := appendMessage(nil, mapValues, AppendSequence(nil, "", &tensor.Sequence{Items: []tensor.Value{sample(tensor.Int8), sample(tensor.Int8)}}))
	twice := appendMessage(appendMessage(values, mapStringKeys, []byte("a")), mapStringKeys, []byte("a"))
	bad := appendInt(nil, tensorDataType, 99)
	for _, c := range []struct {
		b    []byte
		want string
	}{
		{appendMessage(nil, kindOptional.field(), appendMessage(nil, kindTensor.field(), bad)), `sequence "": item 0: optional "": item 0: tensor "": data_type is 99, want 1 to 26`},
		{appendMessage(nil, kindMap.field(), twice), `sequence "": item 0: map "": key "a" stands there twice`},
		{appendMessage(nil, kindSequence.field(), appendMessage(nil, kindTensor.field(), bad)), `sequence "": item 0: sequence "": item 0: tensor "": data_type is 99, want 1 to 26`},
		{appendInt(appendMessage(nil, kindTensor.field(), one), valueElemType, 9), `sequence "": items are of kind tensor, want kind(9) as elem_type says`},
		{appendInt(nil, valueName, 1), `sequence "": name has wire type 0, want 2`},
		{appendMessage(nil, valueElemType, nil), `sequence "": elem_type has wire type 2, want 0`},
		{appendMessage(nil, kindTensor.field(), appendInt(nil, tensorStringData, 1)), `sequence "": item 0: tensor "": string_data has wire type 0, want 2`},
		{appendMessage(nil, kindTensor.field(), appendMessage(nil, tensorDataLocation, nil)), `sequence "": item 0: tensor "": data_location has wire type 2, want 0`},
		{appendMessage(nil, kindTensor.field(), appendMessage(nil, tensorSegment, nil)), `sequence "": item 0: tensor "": segment is set, want the whole tensor`},
	} {
		if _, _, err := DecodeSequence(c.b); err == nil || err.Error() != c.want {
			t.Errorf("%x: got %v\nwant %s", c.b, err, c.want)
		}
	}
	// Fields that are not known, and kinds of later versions, are passed over.
	later := appendInt(appendMessage(appendInt(nil, 99, 1), kindTensor.field(), append(one, appendMessage(nil, 16, []byte("meta"))...)), 8, 5)
	later = protowire.AppendTag(later, 50, protowire.StartGroupType)
	later = protowire.AppendTag(later, 50, protowire.EndGroupType)
	if s, _, err := DecodeSequence(later); err != nil || len(s.Items) != 1 || s.Elem != tensor.Float32 {
		t.Errorf("unknown fields: %+v, %v", s, err)
	}
}

// TestPackedOfAllNumbers decodes packed numbers of random size, which the specification writes in groups of seven bits.
func TestPackedOfAllNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var want []int64
	var packed []byte
	for range 200 {
		v := int64(r.Uint64() >> r.IntN(64))
		if r.IntN(2) == 0 {
			v = -v
		}
		want = append(want, v)
		u := uint64(v)
		for ; u >= 0x80; u >>= 7 {
			packed = append(packed, byte(u)|0x80)
		}
		packed = append(packed, byte(u))
	}
	b := appendMessage(binary.AppendUvarint([]byte{8}, uint64(len(want))), tensorInt64Data, packed)
	x, _, err := DecodeTensor(append(b, 16, 7))
	if err != nil || !slices.Equal(tensor.Data[int64](x), want) {
		t.Errorf("got %v, %v, want %v", x, err, want)
	}
}
