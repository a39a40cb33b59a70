package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// codec is the JSON encoding of tensors of one element type.
type codec struct {
	decode func(d tensor.DType, raw []byte, shape []int) (*tensor.Tensor, error) // shape is nil if nested lists give it
	encode func(b []byte, t *tensor.Tensor) []byte                               // the elements, separated by commas
}

// codecs has every element type. Floats that JSON lacks are the strings NaN, Infinity and -Infinity; complex
// numbers are strings such as 1+2i.
var codecs = map[tensor.DType]codec{
	tensor.Float64:        codecOf(parseFloat64, appendFloat64),
	tensor.Float32:        codecOf(parseFloat32, appendFloat32),
	tensor.Float16:        smallFloat(tensor.ToFloat16),
	tensor.BFloat16:       smallFloat(tensor.ToBFloat16),
	tensor.Float8E4M3FN:   smallFloat(saturated(tensor.ToFloat8E4M3FN)),
	tensor.Float8E4M3FNUZ: smallFloat(saturated(tensor.ToFloat8E4M3FNUZ)),
	tensor.Float8E5M2:     smallFloat(saturated(tensor.ToFloat8E5M2)),
	tensor.Float8E5M2FNUZ: smallFloat(saturated(tensor.ToFloat8E5M2FNUZ)),
	tensor.Float8E8M0:     smallFloat(nearestE8M0),
	tensor.Float4E2M1:     smallFloat(tensor.ToFloat4E2M1),
	tensor.Int64:          signed[int64](64),
	tensor.Int32:          signed[int32](32),
	tensor.Int16:          signed[int16](16),
	tensor.Int8:           signed[int8](8),
	tensor.Int4:           signed[tensor.I4](4),
	tensor.Int2:           signed[tensor.I2](2),
	tensor.Uint64:         unsigned[uint64](64),
	tensor.Uint32:         unsigned[uint32](32),
	tensor.Uint16:         unsigned[uint16](16),
	tensor.Uint8:          unsigned[uint8](8),
	tensor.Uint4:          unsigned[tensor.U4](4),
	tensor.Uint2:          unsigned[tensor.U2](2),
	tensor.Bool:           codecOf(parseBool, strconv.AppendBool),
	tensor.String:         codecOf(parseString, appendString),
	tensor.Complex64: codecOf(
		func(s string) (complex64, error) { c, err := parseComplex(s, 64); return complex64(c), err },
		func(b []byte, c complex64) []byte { return appendComplex(b, complex128(c), 64) },
	),
	tensor.Complex128: codecOf(
		func(s string) (complex128, error) { return parseComplex(s, 128) },
		func(b []byte, c complex128) []byte { return appendComplex(b, c, 128) },
	),
}

func codecOf[T tensor.Element](parse func(string) (T, error), app func([]byte, T) []byte) codec {
	return codec{
		decode: func(d tensor.DType, raw []byte, shape []int) (*tensor.Tensor, error) {
			return decodeElements(d, raw, shape, parse)
		},
		encode: func(b []byte, t *tensor.Tensor) []byte {
			for i, x := range tensor.Data[T](t) {
				if i > 0 {
					b = append(b, ',')
				}
				b = app(b, x)
			}
			return b
		},
	}
}

// decodeElements reads a tensor. If the shape is given, data may be a flat list.
func decodeElements[T tensor.Element](d tensor.DType, raw []byte, shape []int, parse func(string) (T, error)) (*tensor.Tensor, error) {
	var data []T
	found, err := walkLists(string(raw), func(element string) error {
		x, err := parse(element)
		if err != nil {
			return errors.New(d.String())
		}
		data = append(data, x)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if shape == nil {
		shape = found
	}
	n, err := tensor.NumElements(shape)
	if err != nil {
		return nil, err
	}
	if n != len(data) || len(found) > 1 && !slices.Equal(found, shape) {
		return nil, fmt.Errorf("data is %s, want %d elements for %s", tensor.TypeText(d, found), n, tensor.TypeText(d, shape))
	}
	return tensor.Of(data, shape...), nil
}

func parseFloat(s string, bits int) (float64, error) {
	switch s {
	case `"NaN"`:
		return math.NaN(), nil
	case `"Infinity"`:
		return math.Inf(1), nil
	case `"-Infinity"`:
		return math.Inf(-1), nil
	}
	return strconv.ParseFloat(s, bits) // of a valid JSON value, so not a word or hexadecimal
}

func parseFloat64(s string) (float64, error) { return parseFloat(s, 64) }

func parseFloat32(s string) (float32, error) {
	f, err := parseFloat(s, 32)
	return float32(f), err
}

func appendFloat(b []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(b, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(b, `"-Infinity"`...)
	}
	return strconv.AppendFloat(b, f, 'g', -1, bits)
}

func appendFloat64(b []byte, f float64) []byte { return appendFloat(b, f, 64) }
func appendFloat32(b []byte, f float32) []byte { return appendFloat(b, float64(f), 32) }

// smallFloat returns the codec of a float that is narrower than float32.
func smallFloat[T interface {
	tensor.Element
	Float32() float32
}](narrow func(float32) T) codec {
	return codecOf(
		func(s string) (T, error) {
			f, err := parseFloat32(s)
			return narrow(f), err
		},
		func(b []byte, x T) []byte { return appendFloat32(b, x.Float32()) },
	)
}

func saturated[T any](narrow func(float32, bool) T) func(float32) T {
	return func(f float32) T { return narrow(f, true) }
}

func nearestE8M0(f float32) tensor.F8E8M0 {
	return tensor.ToFloat8E8M0(f, true, tensor.RoundNearest)
}

func signed[T interface {
	tensor.Element
	~int8 | ~int16 | ~int32 | ~int64
}](bits int) codec {
	return codecOf(
		func(s string) (T, error) {
			n, err := strconv.ParseInt(s, 10, bits)
			return T(n), err
		},
		func(b []byte, n T) []byte { return strconv.AppendInt(b, int64(n), 10) },
	)
}

func unsigned[T interface {
	tensor.Element
	~uint8 | ~uint16 | ~uint32 | ~uint64
}](bits int) codec {
	return codecOf(
		func(s string) (T, error) {
			n, err := strconv.ParseUint(s, 10, bits)
			return T(n), err
		},
		func(b []byte, n T) []byte { return strconv.AppendUint(b, uint64(n), 10) },
	)
}

func parseBool(s string) (bool, error) {
	if s != "true" && s != "false" {
		return false, errors.New("want true or false")
	}
	return s == "true", nil
}

func parseString(s string) (text string, err error) {
	if s == "null" {
		return "", errors.New("want a string")
	}
	err = json.Unmarshal([]byte(s), &text)
	return text, err
}

func parseComplex(s string, bits int) (complex128, error) {
	text, err := parseString(s)
	if err != nil {
		return 0, err
	}
	return strconv.ParseComplex(text, bits)
}

func appendComplex(b []byte, c complex128, bits int) []byte {
	return appendString(b, strconv.FormatComplex(c, 'g', -1, bits))
}
