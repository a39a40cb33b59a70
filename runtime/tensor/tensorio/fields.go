package tensorio

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/raw"
)

// maxRank bounds the dimensions of a tensor: a shape fits an error message.
const maxRank = 255

// Fields is the content of a TensorProto. An importer of models fills it from its own decoder. One of the data
// fields is used: Raw, or the one that ONNX assigns to the dtype.
type Fields struct {
	DType   int32
	Dims    []int64
	Raw     []byte
	Floats  []float32 // float32, complex64
	Int32s  []int32   // integers up to int32, bool, small floats as bits
	Strings [][]byte
	Int64s  []int64
	Doubles []float64 // float64, complex128
	Uint64s []uint64  // uint32, uint64
}

// Tensor returns the tensor that f describes, with its own copy of the data. It allocates only after checking
// that the data fit the shape.
func (f *Fields) Tensor() (*tensor.Tensor, error) {
	d, shape, n, err := f.head()
	if err != nil {
		return nil, err
	}
	if len(f.Raw) > 0 {
		return f.fromRaw(d, shape, n)
	}
	src := f.typed(d, n)
	if int64(src.have) != src.want {
		return nil, fmt.Errorf("%s has %d values, want %d for %s", src.field, src.have, src.want, tensor.TypeText(d, shape))
	}
	t := tensor.New(d, shape...)
	src.fill(t)
	return t, nil
}

// Outside returns the tensor that f describes, whose raw data of size bytes are not in f: read puts them into the
// memory that it is given. It allocates only after checking that the data fit the shape.
func (f *Fields) Outside(size int64, read func(b []byte) error) (*tensor.Tensor, error) {
	d, shape, n, err := f.head()
	if err != nil {
		return nil, err
	}
	if err := checkRaw(d, shape, n, size); err != nil {
		return nil, err
	}
	t := tensor.New(d, shape...)
	return t, raw.Read(t, read)
}

// head is dtype, shape and number of elements, each checked.
func (f *Fields) head() (tensor.DType, []int, int, error) {
	d := tensor.DType(f.DType)
	if int32(d) != f.DType || !d.Valid() {
		return 0, nil, 0, fmt.Errorf("data_type is %d, want 1 to %d", f.DType, tensor.Int2)
	}
	if len(f.Dims) > maxRank {
		return 0, nil, 0, fmt.Errorf("rank is %d, want at most %d", len(f.Dims), maxRank)
	}
	shape := make([]int, len(f.Dims))
	for i, v := range f.Dims {
		shape[i] = int(v)
		if int64(shape[i]) != v {
			return 0, nil, 0, fmt.Errorf("dims %v has %d at %d, want what fits this machine's int", f.Dims, v, i)
		}
	}
	n, err := tensor.NumElements(shape)
	return d, shape, n, err
}

func (f *Fields) fromRaw(d tensor.DType, shape []int, n int) (*tensor.Tensor, error) {
	if err := checkRaw(d, shape, n, int64(len(f.Raw))); err != nil {
		return nil, err
	}
	if len(f.Floats)+len(f.Int32s)+len(f.Strings)+len(f.Int64s)+len(f.Doubles)+len(f.Uint64s) > 0 {
		return nil, fmt.Errorf("raw_data and another data field are both set, want one")
	}
	t := tensor.New(d, shape...)
	raw.Fill(t, f.Raw)
	return t, nil
}

// checkRaw returns an error if raw data of size bytes do not hold n elements of d.
func checkRaw(d tensor.DType, shape []int, n int, size int64) error {
	if d == tensor.String {
		return fmt.Errorf("%s is in raw_data, want string_data", tensor.TypeText(d, shape))
	}
	if want := raw.Len(n, d); size != want {
		return fmt.Errorf("raw_data has %d bytes, want %d for %s", size, want, tensor.TypeText(d, shape))
	}
	return nil
}

// source is a typed data field: the number of its values, the number that the tensor needs, and a function that
// copies them.
type source struct {
	field string
	have  int
	want  int64
	fill  func(*tensor.Tensor)
}

// typed is the field that ONNX assigns to n elements of d.
func (f *Fields) typed(d tensor.DType, n int) source {
	switch d {
	case tensor.Float32:
		return source{"float_data", len(f.Floats), int64(n), func(t *tensor.Tensor) { copy(tensor.Data[float32](t), f.Floats) }}
	case tensor.Float64:
		return source{"double_data", len(f.Doubles), int64(n), func(t *tensor.Tensor) { copy(tensor.Data[float64](t), f.Doubles) }}
	case tensor.Complex64:
		return source{"float_data", len(f.Floats), 2 * int64(n), f.fillComplex64}
	case tensor.Complex128:
		return source{"double_data", len(f.Doubles), 2 * int64(n), f.fillComplex128}
	case tensor.Int64:
		return source{"int64_data", len(f.Int64s), int64(n), func(t *tensor.Tensor) { copy(tensor.Data[int64](t), f.Int64s) }}
	case tensor.Uint64:
		return source{"uint64_data", len(f.Uint64s), int64(n), func(t *tensor.Tensor) { copy(tensor.Data[uint64](t), f.Uint64s) }}
	case tensor.Uint32:
		return source{"uint64_data", len(f.Uint64s), int64(n), f.fillUint32}
	case tensor.String:
		return source{"string_data", len(f.Strings), int64(n), f.fillStrings}
	}
	want := int64(n)
	if d.Bits() < 8 { // packed: a value holds a byte
		want = raw.Len(n, d)
	}
	return source{"int32_data", len(f.Int32s), want, f.fillInt32s}
}

// fillInt32s uses the low bits of each value. Halves and float8 are encoded as their bits; types below a byte
// are packed, with a byte in each value.
func (f *Fields) fillInt32s(t *tensor.Tensor) {
	d := t.DType
	switch {
	case d.Size() == 4:
		copy(tensor.Data[int32](t), f.Int32s)
	case d.Size() == 2:
		dst := tensor.View[uint16](t.Bytes(), 0, t.Len())
		for i, v := range f.Int32s {
			dst[i] = uint16(v)
		}
	case d == tensor.Bool:
		for i, v := range f.Int32s {
			tensor.Data[bool](t)[i] = v != 0
		}
	default:
		packed := make([]byte, len(f.Int32s))
		for i, v := range f.Int32s {
			packed[i] = byte(v)
		}
		raw.Fill(t, packed)
	}
}

func (f *Fields) fillUint32(t *tensor.Tensor) {
	for i, v := range f.Uint64s {
		tensor.Data[uint32](t)[i] = uint32(v)
	}
}

func (f *Fields) fillStrings(t *tensor.Tensor) {
	for i, s := range f.Strings {
		tensor.Data[string](t)[i] = string(s)
	}
}

func (f *Fields) fillComplex64(t *tensor.Tensor) {
	for i := range tensor.Data[complex64](t) {
		tensor.Data[complex64](t)[i] = complex(f.Floats[2*i], f.Floats[2*i+1])
	}
}

func (f *Fields) fillComplex128(t *tensor.Tensor) {
	for i := range tensor.Data[complex128](t) {
		tensor.Data[complex128](t)[i] = complex(f.Doubles[2*i], f.Doubles[2*i+1])
	}
}
