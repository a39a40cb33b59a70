package codec

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// feedback is the accumulated error of a codec, which it adds to the next value: S. P. Karimireddy, Q. Rebjock,
// S. U. Stich and M. Jaggi, "Error Feedback Fixes SignSGD and other Gradient Compression Schemes", 2019. The
// zero value is no error.
type feedback struct{ left tensor.Dense[float32] }

// most is the maximum absolute value of an element: the error of many values stays finite, and so do sums of it.
const most = 0x1p64

// add returns x plus the accumulated error. The codec subtracts what it sends. A value of another shape
// discards the error; it returns an error if an element is not finite, or too large.
func (f *feedback) add(x tensor.Dense[float32]) ([]float32, error) {
	size, err := largest(x.Data, 0)
	if err != nil {
		return nil, err
	}
	if size > most {
		return nil, fmt.Errorf("an element is %v, want at most %v, as errors add up", size, float32(most))
	}
	if !slices.Equal(f.left.Shape, x.Shape) || f.left.Shape == nil {
		f.left.Make(x.Shape...)
		clear(f.left.Data)
	}
	left := f.left.Data[:len(x.Data)]
	cpu.Add(left, left, x.Data)
	return left, nil
}

// AppendBinary appends the accumulated error.
func (f *feedback) AppendBinary(b []byte) ([]byte, error) {
	b = values.AppendScalar(b, f.left.Shape != nil)
	if f.left.Shape != nil {
		b = values.AppendDense(b, f.left)
	}
	return b, nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (f *feedback) UnmarshalBinary(b []byte) error {
	var read feedback
	var some bool
	r := values.NewFields(b)
	if values.ReadScalar(r, &some); some {
		values.ReadDense(r, &read.left)
	}
	if err := r.End(); err != nil {
		return err
	}
	*f = read
	return nil
}
