package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// scaled is the encoding of Int8, Channels and Blocks: the shape, a scale for each run of elements, and each
// element as the nearest multiple of its scale.
type scaled struct {
	bits int // of an element: 8 or 4
	run  int // elements that share a scale, at least 1
}

// top is the largest multiple.
func (s scaled) top() float32 { return float32(int(1)<<(s.bits-1) - 1) }

// bytes returns how many bytes follow the shape of n elements.
func (s scaled) bytes(n int) int { return 4*s.runs(n) + (n*s.bits+7)/8 }

func (s scaled) runs(n int) int {
	if n == 0 {
		return 0
	}
	return (n-1)/s.run + 1
}

// smallest is the smallest scale.
const smallest = 0x1p-120

// encode encodes x. It returns an error if an element is not finite.
func (s scaled) encode(x tensor.Dense[float32]) (tensor.Dense[uint8], error) {
	b, at := encoding(x.Shape, s.bytes(len(x.Data)))
	scales := b[at:]
	elements := scales[4*s.runs(len(x.Data)):]
	var bytes [pack]byte
	for from := 0; from < len(x.Data); from += s.run {
		part := x.Data[from:min(from+s.run, len(x.Data))]
		largest, err := largest(part, from)
		if err != nil {
			return tensor.Dense[uint8]{}, err
		}
		scale := max(largest/s.top(), smallest)
		if math.IsInf(float64(float32(scale*s.top())), 0) { // rounded up
			scale = math.Nextafter32(scale, 0)
		}
		binary.LittleEndian.PutUint32(scales[4*(from/s.run):], math.Float32bits(scale))
		if s.bits == 4 {
			quantize4(elements[from/2:], part, scale, &bytes)
		} else {
			quantize8(elements[from:], part, scale)
		}
	}
	return tensor.DenseOf(b, len(b)), nil
}

// largest returns the largest absolute value in x, whose first element has the index at.
func largest(x []float32, at int) (float32, error) {
	if most := cpu.MaxAbs32(x); most-most == 0 {
		return most, nil
	}
	i := slices.IndexFunc(x, func(v float32) bool { return v-v != 0 })
	return 0, fmt.Errorf("element %d is %v", at+i, x[i])
}

// oneScale means that all elements have the same scale.
var oneScale = cpu.Blocks{Outer: 1, Inner: 1}

// quantize8 writes the nearest multiples of a scale.
func quantize8(dst []byte, x []float32, scale float32) {
	multiples := tensor.View[int8](dst, 0, len(x))
	b := oneScale
	b.N, b.Size = len(x), len(x)
	cpu.QuantizeLinear(multiples, x, []float32{scale}, nil, b)
}

// quantize4 writes two multiples to a byte, the first one to its low bits. It overwrites bytes.
func quantize4(dst []byte, x []float32, scale float32, bytes *[pack]byte) {
	for ; len(x) > 0; x = x[min(pack, len(x)):] {
		part := bytes[:min(pack, len(x))]
		quantize8(part, x[:len(part)], scale)
		cpu.PackNibbles(dst, part)
		dst = dst[(len(part)+1)/2:]
	}
}

// pack is how many elements are packed at a time, an even number.
const pack = 256

var errScale = errors.New("the scale is no number above 0")

// decode decodes n elements of a shape, with an error of at most half of a scale.
func (s scaled) decode(b []byte, n int, shape []int) (x tensor.Dense[float32], err error) {
	if err := wantBytes(b, s.bytes(n), shape); err != nil {
		return x, err
	}
	elements := b[4*s.runs(n):]
	var multiples [pack]int8
	x.Resize(shape...)
	for from := 0; from < n; from += s.run {
		part := x.Data[from:min(from+s.run, n)]
		scale := math.Float32frombits(binary.LittleEndian.Uint32(b[4*(from/s.run):]))
		if !(scale > 0) || math.IsInf(float64(scale), 0) {
			return tensor.Dense[float32]{}, errScale
		}
		if s.bits == 4 {
			dequantize4(part, elements[from/2:], scale, &multiples)
		} else {
			dequantize8(part, elements[from:], scale)
		}
	}
	return x, nil
}

func dequantize8(dst []float32, b []byte, scale float32) {
	multiply(dst, tensor.View[int8](b, 0, len(dst)), scale)
}

// dequantize4 reads two multiples of each byte. It overwrites multiples.
func dequantize4(dst []float32, b []byte, scale float32, multiples *[pack]int8) {
	for ; len(dst) > 0; dst = dst[min(pack, len(dst)):] {
		part := multiples[:min(pack, len(dst))]
		cpu.UnpackNibbles(part, b)
		multiply(dst[:len(part)], part, scale)
		b = b[(len(part)+1)/2:]
	}
}

// multiply sets dst to multiples of a scale.
func multiply(dst []float32, multiples []int8, scale float32) {
	all := oneScale
	all.N, all.Size = len(dst), len(dst)
	cpu.DequantizeLinear(dst, multiples, []float32{scale}, nil, all)
}
