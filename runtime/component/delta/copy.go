package delta

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// Copy is the receiver's component: the version of the model that it has.
type Copy struct {
	number int64 // 0: none
	model  tensor.Dense[float32]
}

// Version returns the number of the version, 0 if there is none. The argument is not used: it says when.
func (c *Copy) Version(int64) (int64, error) { return c.number, nil }

// Apply returns the sender's latest version, from the output of [Versions.Since] for the version that the receiver
// has. After an error it has the version that it had before.
func (c *Copy) Apply(news tensor.Dense[uint8]) (tensor.Dense[float32], error) {
	f := values.NewFields(news.Data)
	number, from := int64(f.Uint()), int64(f.Uint())
	var model tensor.Dense[float32]
	switch {
	case f.Err() != nil:
		return model, f.Err()
	case number < 1 || from < 0 || from > number:
		return model, fmt.Errorf("a difference between the versions %d and %d", from, number)
	case from == 0:
		values.ReadDense(f, &model)
		model = model.Clone()
	case from != c.number:
		return model, fmt.Errorf("a difference from version %d, this peer has %d", from, c.number)
	default:
		model = c.model.Clone()
		for range number - from {
			if err := add(model, f.Bytes(f.Count(1))); err != nil {
				return model, err
			}
		}
	}
	if err := f.End(); err != nil {
		return model, err
	}
	if i := notFinite(model.Data); i >= 0 {
		return model, fmt.Errorf("element %d is %v", i, model.Data[i])
	}
	c.number, c.model = number, model
	return model.Clone(), nil
}

func notFinite(x []float32) int {
	for i, v := range x {
		if v-v != 0 {
			return i
		}
	}
	return -1
}

// AppendBinary appends the version.
func (c *Copy) AppendBinary(b []byte) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(c.number))
	if c.number != 0 {
		b = values.AppendDense(b, c.model)
	}
	return b, nil
}

var errVersion = errors.New("a version below 0")

// UnmarshalBinary reads the output of AppendBinary.
func (c *Copy) UnmarshalBinary(b []byte) error {
	f := values.NewFields(b)
	read := Copy{number: int64(f.Uint())}
	if read.number < 0 {
		return errVersion
	}
	if read.number != 0 {
		values.ReadDense(f, &read.model)
		read.model = read.model.Clone()
	}
	if err := f.End(); err != nil {
		return err
	}
	*c = read
	return nil
}
