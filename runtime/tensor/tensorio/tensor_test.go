package tensorio

import (
	"encoding/binary"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/raw"
)

// sample returns a tensor of d with different elements in the range of d.
func sample(d tensor.DType, shape ...int) *tensor.Tensor {
	t := tensor.New(d, shape...)
	switch x := t.Data.(type) {
	case []string:
		for i := range x {
			x[i] = strings.Repeat("é", i)
		}
	case []bool:
		for i := range x {
			x[i] = i%3 == 1
		}
	default:
		for i := range t.Bytes() {
			t.Bytes()[i] = byte(37*i + 1)
		}
		if d.Bits() < 8 {
			packed := raw.PackBits(nil, t.Bytes(), d.Bits())
			raw.UnpackBits(t.Bytes(), packed, d.Bits(), d.IsInt() && d.IsSigned())
		}
	}
	return t
}

// TestTensorRoundTrips encodes and decodes tensors of each type and several shapes.
func TestTensorRoundTrips(t *testing.T) {
	for d := tensor.Float32; d <= tensor.Int2; d++ {
		for _, shape := range [][]int{{}, {0}, {1}, {5}, {2, 3}, {3, 0, 2}, {1, 1, 1, 9}} {
			want := sample(d, shape...)
			got, name, err := DecodeTensor(AppendTensor(nil, "x", want))
			if err != nil {
				t.Errorf("%v: %v", want, err)
			} else if !tensor.Equal(got, want) || name != "x" {
				t.Errorf("%v %v came back as %q %v %v", want, want.Data, name, got, got.Data)
			}
		}
	}
}

// The bytes are those of onnx.helper.make_tensor: two int4 in a byte, the first in the low bits, in raw_data
// and in int32_data.
func TestFieldsTyped(t *testing.T) {
	for _, c := range []struct {
		f    Fields
		want *tensor.Tensor
	}{
		{Fields{DType: 1, Dims: []int64{2}, Floats: []float32{1, -2}}, tensor.Of([]float32{1, -2}, 2)},
		{Fields{DType: 2, Dims: []int64{2}, Int32s: []int32{1, 255}}, tensor.Of([]uint8{1, 255}, 2)},
		{Fields{DType: 3, Dims: []int64{2}, Int32s: []int32{1, -1}}, tensor.Of([]int8{1, -1}, 2)},
		{Fields{DType: 4, Dims: []int64{1}, Int32s: []int32{65535}}, tensor.Of([]uint16{65535}, 1)},
		{Fields{DType: 5, Dims: []int64{1}, Int32s: []int32{-3}}, tensor.Of([]int16{-3}, 1)},
		{Fields{DType: 6, Int32s: []int32{-7}}, tensor.Of([]int32{-7})},
		{Fields{DType: 7, Dims: []int64{1, 1}, Int64s: []int64{math.MinInt64}}, tensor.Of([]int64{math.MinInt64}, 1, 1)},
		{Fields{DType: 8, Dims: []int64{2}, Strings: [][]byte{[]byte("a"), nil}}, tensor.Of([]string{"a", ""}, 2)},
		{Fields{DType: 9, Dims: []int64{3}, Int32s: []int32{1, 0, 2}}, tensor.Of([]bool{true, false, true}, 3)},
		{Fields{DType: 9, Dims: []int64{3}, Raw: []byte{1, 0, 2}}, tensor.Of([]bool{true, false, true}, 3)},
		{Fields{DType: 10, Dims: []int64{1}, Int32s: []int32{0x3c00}}, tensor.Of([]tensor.F16{0x3c00}, 1)},
		{Fields{DType: 11, Dims: []int64{1}, Doubles: []float64{0.1}}, tensor.Of([]float64{0.1}, 1)},
		{Fields{DType: 12, Dims: []int64{1}, Uint64s: []uint64{1<<32 - 1}}, tensor.Of([]uint32{1<<32 - 1}, 1)},
		{Fields{DType: 13, Dims: []int64{1}, Uint64s: []uint64{1<<64 - 1}}, tensor.Of([]uint64{1<<64 - 1}, 1)},
		{Fields{DType: 14, Dims: []int64{1}, Floats: []float32{1, 2}}, tensor.Of([]complex64{1 + 2i}, 1)},
		{Fields{DType: 15, Dims: []int64{1}, Doubles: []float64{1, 2}}, tensor.Of([]complex128{1 + 2i}, 1)},
		{Fields{DType: 16, Dims: []int64{1}, Int32s: []int32{0xff80}}, tensor.Of([]tensor.BF16{0xff80}, 1)},
		{Fields{DType: 19, Dims: []int64{1}, Int32s: []int32{0xfb}}, tensor.Of([]tensor.F8E5M2{0xfb}, 1)},
		{Fields{DType: 21, Dims: []int64{3}, Int32s: []int32{0xf1, 2}}, tensor.Of([]tensor.U4{1, 15, 2}, 3)},
		{Fields{DType: 22, Dims: []int64{3}, Int32s: []int32{0xf1, 0xa8}}, tensor.Of([]tensor.I4{1, -1, -8}, 3)},
		{Fields{DType: 22, Dims: []int64{3}, Raw: []byte{0xf1, 0xa8}}, tensor.Of([]tensor.I4{1, -1, -8}, 3)},
		{Fields{DType: 23, Dims: []int64{2}, Raw: []byte{0x9f}}, tensor.Of([]tensor.F4E2M1{15, 9}, 2)},
		{Fields{DType: 25, Dims: []int64{5}, Raw: []byte{0b11100100, 0xfe}}, tensor.Of([]tensor.U2{0, 1, 2, 3, 2}, 5)},
		{Fields{DType: 26, Dims: []int64{4}, Int32s: []int32{0b11100100}}, tensor.Of([]tensor.I2{0, 1, -2, -1}, 4)},
	} {
		got, err := c.f.Tensor()
		if err != nil {
			t.Errorf("%v: %v", c.want, err)
		} else if !tensor.Equal(got, c.want) {
			t.Errorf("%v %v, want %v %v", got, got.Data, c.want, c.want.Data)
		}
	}
}

// Repeated numbers may be packed or single, independent of the schema.
func TestDecodeTensorUnpacked(t *testing.T) {
	head := func(d tensor.DType) []byte {
		return appendInt(appendMessage(nil, tensorDims, []byte{2}), tensorDataType, uint64(d))
	}
	floats := head(tensor.Float32)
	doubles := head(tensor.Float64)
	ints := head(tensor.Int64)
	for _, v := range []float64{1, 2} {
		floats = protowire.AppendFixed32(protowire.AppendTag(floats, tensorFloatData, protowire.Fixed32Type), math.Float32bits(float32(v)))
		doubles = protowire.AppendFixed64(protowire.AppendTag(doubles, tensorDoubleData, protowire.Fixed64Type), math.Float64bits(v))
		ints = appendInt(ints, tensorInt64Data, uint64(v))
	}
	packed := appendMessage(head(tensor.Float32), tensorFloatData, binary.LittleEndian.AppendUint64(nil, 0x40000000_3f800000))
	for _, c := range []struct {
		b    []byte
		want *tensor.Tensor
	}{
		{floats, tensor.Of([]float32{1, 2}, 2)}, {packed, tensor.Of([]float32{1, 2}, 2)},
		{doubles, tensor.Of([]float64{1, 2}, 2)}, {ints, tensor.Of([]int64{1, 2}, 2)},
	} {
		if got, _, err := DecodeTensor(c.b); err != nil || !tensor.Equal(got, c.want) {
			t.Errorf("%x is %v, %v, want %v %v", c.b, got, err, c.want, c.want.Data)
		}
	}
}

// TestFieldsRefuse checks the errors for inconsistent fields of a tensor.
func TestFieldsRefuse(t *testing.T) {
	for _, c := range []struct {
		f    Fields
		want string
	}{
		{Fields{}, "data_type is 0, want 1 to 26"},
		{Fields{DType: 27}, "data_type is 27, want 1 to 26"},
		{Fields{DType: 257}, "data_type is 257, want 1 to 26"},
		{Fields{DType: -1}, "data_type is -1, want 1 to 26"},
		{Fields{DType: 1, Dims: []int64{2}, Raw: []byte{1}}, "raw_data has 1 bytes, want 8 for float32[2]"},
		{Fields{DType: 22, Dims: []int64{3}, Raw: []byte{1}}, "raw_data has 1 bytes, want 2 for int4[3]"},
		{Fields{DType: 22, Dims: []int64{3}, Int32s: []int32{1, 2, 3}}, "int32_data has 3 values, want 2 for int4[3]"},
		{Fields{DType: 1, Dims: []int64{2}, Int32s: []int32{1, 2}}, "float_data has 0 values, want 2 for float32[2]"},
		{Fields{DType: 1, Dims: []int64{0}, Raw: []byte{1}}, "raw_data has 1 bytes, want 0 for float32[0]"},
		{Fields{DType: 1, Raw: []byte{0, 0, 0, 0}, Floats: []float32{0}}, "raw_data and another data field are both set"},
		{Fields{DType: 8, Dims: []int64{1}, Raw: []byte("a")}, "string[1] is in raw_data, want string_data"},
		{Fields{DType: 1, Dims: []int64{-1}}, "dimension -1 at 0"},
		{Fields{DType: 1, Dims: []int64{1 << 26}}, "float_data has 0 values, want 67108864"},
		{Fields{DType: 15, Dims: []int64{1 << 30, 1 << 30}}, "shape [1073741824 1073741824] has more than"},
		{Fields{DType: 1, Dims: make([]int64, 256)}, "rank is 256, want at most 255"},
	} {
		if _, err := c.f.Tensor(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// TestDecodeTensorRefuses checks the errors for malformed messages.
func TestDecodeTensorRefuses(t *testing.T) {
	named := []byte{tensorName<<3 | 2, 1, 'w'}
	for _, c := range []struct {
		b    []byte
		want string
	}{
		{nil, `tensor "": data_type is 0`},
		{appendMessage(named, tensorSegment, nil), `tensor "w": segment is set`},
		{appendInt(named, tensorDataLocation, 1), `tensor "w": data_location is external, want the data in this file`},
		{appendInt(named, tensorRawData, 1), `tensor "w": raw_data has wire type 0, want 2`},
		{appendMessage(named, tensorDataType, nil), `tensor "w": data_type has wire type 2, want 0`},
		{appendMessage(named, tensorFloatData, []byte{1}), `tensor "w": float_data has 1 bytes, want a multiple of 4`},
		{appendMessage(named, tensorDoubleData, []byte{1}), `tensor "w": double_data has 1 bytes, want a multiple of 8`},
		{appendMessage(named, tensorInt64Data, []byte{0x80}), `tensor "w": int64_data: unexpected EOF`},
		{named[:2], `byte 0 of 2: unexpected EOF`},
	} {
		if _, _, err := DecodeTensor(c.b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// A small file that claims to be huge causes no large allocation.
func TestHostileSizesDoNotAllocate(t *testing.T) {
	claim := slices.Clip(appendInt(appendInt(nil, tensorDims, 1<<26), tensorDataType, uint64(tensor.Float32)))
	payload := appendMessage(claim, tensorRawData, make([]byte, 80))
	npy := npyFile("{'descr': '<f4', 'fortran_order': True, 'shape': (67108864,)}")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, b := range [][]byte{claim, payload} {
		if _, _, err := DecodeTensor(b); err == nil {
			t.Errorf("%x is a tensor", b)
		}
	}
	if _, err := DecodeNPY(npy); err == nil || !strings.Contains(err.Error(), "want 268435456") {
		t.Errorf("npy: error %v", err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("allocated %d bytes", n)
	}
}

// FuzzDecodeTensor decodes arbitrary bytes; what is decoded must survive encoding.
func FuzzDecodeTensor(f *testing.F) {
	for d := tensor.Float32; d <= tensor.Int2; d++ {
		f.Add(AppendTensor(nil, "x", sample(d, 2, 3)))
	}
	f.Add(appendMessage([]byte{8, 2, 16, 1}, tensorFloatData, make([]byte, 8)))
	f.Add(appendMessage([]byte{8, 3, 16, 22}, tensorInt32Data, []byte{0x21, 3}))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, name, err := DecodeTensor(b)
		if err != nil {
			return
		}
		y, again, err := DecodeTensor(AppendTensor(nil, name, x))
		if err != nil || !tensor.Equal(x, y) || name != again {
			t.Errorf("%q %v came back as %q %v, %v", name, x, again, y, err)
		}
	})
}
