package codec

import (
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Float16 sends each element as IEEE half precision, 2 bytes. A finite element remains finite: one beyond ±65504 becomes ±65504.
type Float16 struct{}

// Train does nothing.
func (Float16) Train(tensor.Dense[float32]) error { return nil }

// EncodedBytes returns the encoded size of a vector.
func (Float16) EncodedBytes(elements int) int { return shapeBytes(elements) + 2*elements }

// Encode encodes x in half precision.
func (Float16) Encode(x tensor.Dense[float32]) (tensor.Dense[uint8], error) {
	return encodeHalves[tensor.F16](x), nil
}

// Decode decodes the output of Encode.
func (Float16) Decode(b tensor.Dense[uint8]) (tensor.Dense[float32], error) {
	return decodeHalves[tensor.F16](b)
}

// encodeHalves returns the shape of x, followed by its elements as H, in the byte order of [tensor.Raw].
func encodeHalves[H tensor.F16 | tensor.BF16](x tensor.Dense[float32]) tensor.Dense[uint8] {
	b := appendShape(make([]byte, 0, 2*len(x.Data)+16), x.Shape)
	var half [pack]H
	for all := x.Data; len(all) > 0; all = all[min(pack, len(all)):] {
		part := half[:min(pack, len(all))]
		cpu.CastToSmall(part, all[:len(part)], false, 0)
		saturate(part, all)
		b = append(b, tensor.Raw(part)...)
	}
	return tensor.DenseOf(b, len(b))
}

// saturate replaces the infinities that finite elements of x became by the largest finite number, which is the one before.
func saturate[H tensor.F16 | tensor.BF16](half []H, x []float32) {
	infinity := H(0x7c00)
	if _, ok := any(infinity).(tensor.BF16); ok {
		infinity = 0x7f80
	}
	for i, h := range half {
		if h&0x7fff == infinity && x[i]-x[i] == 0 {
			half[i]--
		}
	}
}

// decodeHalves decodes the output of encodeHalves.
func decodeHalves[H tensor.F16 | tensor.BF16](b tensor.Dense[uint8]) (x tensor.Dense[float32], err error) {
	shape, n, rest, err := readShape(b.Data)
	if err == nil {
		err = wantBytes(rest, 2*n, shape)
	}
	if err != nil {
		return x, err
	}
	x.Resize(shape...)
	var half [pack]H
	for all := x.Data; len(all) > 0; all = all[min(pack, len(all)):] {
		part := half[:min(pack, len(all))]
		tensor.SetRaw(part, rest[:2*len(part)])
		cpu.CastFromSmall(all[:len(part)], part)
		rest = rest[2*len(part):]
	}
	return x, nil
}
