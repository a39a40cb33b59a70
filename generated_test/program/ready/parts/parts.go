// Package parts is the component of the program ready.
package parts

import (
	"encoding/binary"
	"errors"
	"math"
)

// Factor is a number that has to be set once, or to others later.
type Factor struct {
	by   float32
	sets uint32
}

// Set sets it.
func (f *Factor) Set(by float32) error {
	if by != f.by {
		f.by, f.sets = by, 0
	}
	f.sets++
	return nil
}

// Times multiplies by it.
func (f *Factor) Times(x float32) (float32, error) {
	if f.sets != 1 {
		return 0, errors.New("the factor was not set once")
	}
	return f.by * x, nil
}

// AppendBinary and UnmarshalBinary keep it in snapshots.
func (f *Factor) AppendBinary(b []byte) ([]byte, error) {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, math.Float32bits(f.by)), f.sets), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (f *Factor) UnmarshalBinary(b []byte) error {
	if len(b) != 8 {
		return errors.New("a factor has 8 bytes")
	}
	f.by, f.sets = math.Float32frombits(binary.LittleEndian.Uint32(b)), binary.LittleEndian.Uint32(b[4:])
	return nil
}
