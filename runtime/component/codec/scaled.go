package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// scaled is how Int8, Channels and Blocks send a tensor: its shape, a scale for each run
// of elements, and each element as the nearest multiple of its scale.
type scaled struct {
	bits int // of an element: 8 or 4
	run  int // elements that share a scale, 1 at least
}

// top is the largest multiple.
func (s scaled) top() float32 { return float32(int(1)<<(s.bits-1) - 1) }

// bytes is how many bytes follow the shape of so many elements.
func (s scaled) bytes(n int) int { return 4*s.runs(n) + (n*s.bits+7)/8 }

func (s scaled) runs(n int) int {
	if n == 0 {
		return 0
	}
	return (n-1)/s.run + 1
}

// smallest is the smallest scale, whose inverse is finite.
const smallest = 0x1p-120

// encode is x. What is not finite cannot be encoded.
func (s scaled) encode(x tensor.Dense[float32]) (tensor.Dense[uint8], error) {
	b := appendShape(make([]byte, 0, s.bytes(len(x.Data))+16), x.Shape)
	at := len(b)
	b = b[:at+s.bytes(len(x.Data))]
	scales := b[at:]
	elements := scales[4*s.runs(len(x.Data)):]
	for from := 0; from < len(x.Data); from += s.run {
		part := x.Data[from:min(from+s.run, len(x.Data))]
		largest, err := largest(part, from)
		if err != nil {
			return tensor.Dense[uint8]{}, err
		}
		scale := max(largest/s.top(), smallest)
		binary.LittleEndian.PutUint32(scales[4*(from/s.run):], math.Float32bits(scale))
		if s.bits == 4 {
			quantize4(elements[from/2:], part, 1/scale)
		} else {
			quantize8(elements[from:], part, 1/scale)
		}
	}
	return tensor.DenseOf(b, len(b)), nil
}

// largest is the largest absolute value in x, whose elements are those from at on. It
// compares bits, which have the order of the values.
func largest(x []float32, at int) (float32, error) {
	var most uint32
	for _, v := range x {
		most = max(most, math.Float32bits(v)&0x7fffffff)
	}
	if most < 0x7f800000 {
		return math.Float32frombits(most), nil
	}
	i := slices.IndexFunc(x, func(v float32) bool { return v-v != 0 })
	return 0, fmt.Errorf("element %d is %v", at+i, x[i])
}

// toInteger has the integer nearest to a small number as the last bits of the sum.
const toInteger = 0x1.8p23

// quantize8 writes the nearest multiples for the inverse of their scale.
func quantize8(dst []byte, x []float32, inverse float32) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = byte(math.Float32bits(float32(v*inverse) + toInteger))
	}
}

// quantize4 writes two multiples to a byte, the first one to its low bits.
func quantize4(dst []byte, x []float32, inverse float32) {
	dst = dst[:(len(x)+1)/2]
	for i := range len(x) / 2 {
		a := math.Float32bits(float32(x[2*i]*inverse) + toInteger)
		b := math.Float32bits(float32(x[2*i+1]*inverse) + toInteger)
		dst[i] = byte(a&0xf | b<<4)
	}
	if n := len(x); n%2 == 1 {
		dst[n/2] = byte(math.Float32bits(float32(x[n-1]*inverse)+toInteger) & 0xf)
	}
}

var errScale = errors.New("the scale is no number above 0")

// decode is what encode has encoded, of n elements of a shape, with an error of at most
// half of a scale.
func (s scaled) decode(b []byte, n int, shape []int) (x tensor.Dense[float32], err error) {
	if err := wantBytes(b, s.bytes(n), shape); err != nil {
		return x, err
	}
	elements := b[4*s.runs(n):]
	x.Resize(shape...)
	for from := 0; from < n; from += s.run {
		part := x.Data[from:min(from+s.run, n)]
		scale := math.Float32frombits(binary.LittleEndian.Uint32(b[4*(from/s.run):]))
		if !(scale > 0) || math.IsInf(float64(scale), 0) {
			return tensor.Dense[float32]{}, errScale
		}
		if s.bits == 4 {
			dequantize4(part, elements[from/2:], scale)
		} else {
			dequantize8(part, elements[from:], scale)
		}
	}
	return x, nil
}

func dequantize8(dst []float32, b []byte, scale float32) {
	b = b[:len(dst)]
	for i, v := range b {
		dst[i] = float32(int8(v)) * scale
	}
}

func dequantize4(dst []float32, b []byte, scale float32) {
	for i := range len(dst) / 2 {
		v := b[i]
		dst[2*i], dst[2*i+1] = float32(int8(v<<4)>>4)*scale, float32(int8(v)>>4)*scale
	}
	if n := len(dst); n%2 == 1 {
		dst[n-1] = float32(int8(b[n/2]<<4)>>4) * scale
	}
}
