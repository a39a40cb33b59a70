package delta

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/codec"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// Versions is the sender's component: the latest version of a model as receivers have it, and how it came about.
type Versions struct {
	Keep int // differences that are kept; a receiver that has missed more gets the whole model; 0: 3

	number int64                 // of the latest version; 0: none
	model  tensor.Dense[float32] // that version
	steps  [][]byte              // the differences that led to the latest versions, encoded
}

// steps8 encodes differences: 8 bits for each element, and a scale for each block.
var steps8 = codec.Blocks{}

// Open checks the configuration.
func (v *Versions) Open(runtime.Env) error {
	if v.Keep < 0 {
		return fmt.Errorf("delta.Versions: Keep is %d, want 0 or more", v.Keep)
	}
	return nil
}

func (v *Versions) keep() int {
	if v.Keep > 0 {
		return v.Keep
	}
	return 3
}

// Put makes a model the next version, and returns its number.
func (v *Versions) Put(model tensor.Dense[float32]) (int64, error) {
	if v.number == 0 || !slices.Equal(v.model.Shape, model.Shape) {
		if i := notFinite(model.Data); i >= 0 {
			return 0, fmt.Errorf("element %d of the model is %v", i, model.Data[i])
		}
		v.number++
		v.model, v.steps = model.Clone(), nil
		return v.number, nil
	}
	diff := model.Clone()
	for i, x := range v.model.Data {
		diff.Data[i] -= x
	}
	step, err := steps8.Encode(diff)
	if err != nil {
		return 0, fmt.Errorf("the difference from version %d: %w", v.number, err)
	}
	if err := add(v.model, step.Data); err != nil {
		return 0, err
	}
	v.number++
	v.steps = append(v.steps, step.Data)
	v.steps = v.steps[max(len(v.steps)-v.keep(), 0):]
	return v.number, nil
}

// add adds an encoded difference to a model.
func add(model tensor.Dense[float32], step []byte) error {
	diff, err := steps8.Decode(tensor.DenseOf(step, len(step)))
	if err != nil {
		return err
	}
	if !slices.Equal(diff.Shape, model.Shape) {
		return fmt.Errorf("a difference of shape %v, want %v", diff.Shape, model.Shape)
	}
	for i, d := range diff.Data {
		model.Data[i] += d
	}
	return nil
}

// Since returns what a receiver of a version needs to have the latest one: nothing if it has that, the differences in
// between, or the whole model.
func (v *Versions) Since(have int64) (tensor.Dense[uint8], error) {
	if v.number == 0 {
		return tensor.Dense[uint8]{}, errors.New("there is no version")
	}
	missing := v.number - have
	b := binary.AppendUvarint(nil, uint64(v.number))
	if steps := v.last(missing); steps != nil {
		b = binary.AppendUvarint(b, uint64(have))
		for _, s := range steps {
			b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
		}
	} else {
		b = values.AppendDense(binary.AppendUvarint(b, 0), v.model)
	}
	return tensor.DenseOf(b, len(b)), nil
}

// last returns the latest differences, or nil if they are not there or longer than the model.
func (v *Versions) last(n int64) [][]byte {
	if n < 0 || n > int64(len(v.steps)) || n == v.number {
		return nil
	}
	steps, size := v.steps[len(v.steps)-int(n):], 0
	for _, s := range steps {
		size += len(s)
	}
	if size > 4*len(v.model.Data) {
		return nil
	}
	return append(make([][]byte, 0, 1), steps...)
}

// AppendBinary appends the version and the differences.
func (v *Versions) AppendBinary(b []byte) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(v.number))
	if v.number == 0 {
		return b, nil
	}
	b = binary.AppendUvarint(values.AppendDense(b, v.model), uint64(len(v.steps)))
	for _, s := range v.steps {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return b, nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (v *Versions) UnmarshalBinary(b []byte) error {
	f := values.NewFields(b)
	read := Versions{Keep: v.Keep, number: int64(f.Uint())}
	if read.number < 0 {
		return errVersion
	}
	if read.number != 0 {
		values.ReadDense(f, &read.model)
		for range f.Count(1) {
			read.steps = append(read.steps, slices.Clone(f.Bytes(f.Count(1))))
		}
		read.model = read.model.Clone()
	}
	if err := f.End(); err != nil {
		return err
	}
	*v = read
	return nil
}
