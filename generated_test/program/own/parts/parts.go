// Package parts is the values and components of the program own.
package parts

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Reading is the value that a thermometer sends: its place, and its measurement.
type Reading struct {
	Place   string
	Degrees []int8
}

// AppendBinary appends the place after its length, and a byte for each number.
func (r *Reading) AppendBinary(b []byte) ([]byte, error) {
	b = append(append(b, byte(len(r.Place))), r.Place...)
	for _, d := range r.Degrees {
		b = append(b, byte(d))
	}
	return b, nil
}

// UnmarshalBinary rejects a reading without a number, and panics at one from the moon. The peer must continue
// in both cases.
func (r *Reading) UnmarshalBinary(b []byte) error {
	if len(b) < 2 || len(b) < 2+int(b[0]) {
		return errors.New("nothing was read")
	}
	r.Place = string(b[1 : 1+b[0]])
	if r.Place == "moon" {
		panic("there is no air")
	}
	r.Degrees = r.Degrees[:0]
	for _, d := range b[1+b[0]:] {
		r.Degrees = append(r.Degrees, int8(d))
	}
	return nil
}

// Summary is a station's summary of readings: their number and their sum. It is not a struct.
type Summary [2]int64

// MarshalBinary writes it.
func (s Summary) MarshalBinary() ([]byte, error) {
	return binary.AppendVarint(binary.AppendVarint(nil, s[0]), s[1]), nil
}

// UnmarshalBinary reads it.
func (s *Summary) UnmarshalBinary(b []byte) error {
	var n int
	for i := range s {
		if s[i], n = binary.Varint(b); n <= 0 {
			return errors.New("two numbers are wanted")
		}
		b = b[n:]
	}
	return nil
}

// Clerk writes.
type Clerk struct{}

// Begin returns the summary of nothing.
func (*Clerk) Begin() (Summary, error) { return Summary{}, nil }

// Text returns a summary in words.
func (*Clerk) Text(s Summary) (string, error) { return fmt.Sprintf("%d of %d", s[1], s[0]), nil }

// Sensor is a thermometer of a rank.
type Sensor struct{ rank int }

// Open learns the rank.
func (s *Sensor) Open(env runtime.Env) error { s.rank = env.Rank; return nil }

// AppendBinary appends nothing, as Open restores the state.
func (s *Sensor) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary reads nothing.
func (s *Sensor) UnmarshalBinary([]byte) error { return nil }

// Read returns the previous degrees, plus one for each rank. The reading of rank 3 is invalid when encoded,
// and that of rank 4 exceeds the limit.
func (s *Sensor) Read(before Summary) (Reading, error) {
	r := Reading{Place: fmt.Sprint("roof ", s.rank), Degrees: []int8{int8(before[1] % 100), int8(s.rank)}}
	switch s.rank {
	case 3:
		r.Place = "moon"
	case 4:
		r.Degrees = make([]int8, 1000)
	}
	return r, nil
}

// Sum adds readings up.
type Sum struct {
	from []string
	sum  Summary
}

// Contribute adds a reading.
func (s *Sum) Contribute(from wire.PeerID, r Reading, weight float32) error {
	if slices.Contains(s.from, r.Place) {
		return fmt.Errorf("a second reading of %s", r.Place)
	}
	s.from = append(s.from, r.Place)
	s.sum[0]++
	for _, d := range r.Degrees {
		s.sum[1] += int64(d)
	}
	return nil
}

// Aggregate returns the summary.
func (s *Sum) Aggregate() (Summary, error) {
	sum := s.sum
	*s = Sum{}
	return sum, nil
}

// AppendBinary keeps the readings of the round.
func (s *Sum) AppendBinary(b []byte) ([]byte, error) {
	b = binary.AppendVarint(binary.AppendVarint(b, s.sum[0]), s.sum[1])
	for _, place := range s.from {
		b = append(append(b, byte(len(place))), place...)
	}
	return b, nil
}

// UnmarshalBinary reads them.
func (s *Sum) UnmarshalBinary(b []byte) error {
	*s = Sum{}
	for i := range s.sum {
		x, n := binary.Varint(b)
		if n <= 0 {
			return errors.New("two numbers are wanted")
		}
		s.sum[i], b = x, b[n:]
	}
	for len(b) > 0 {
		n := int(b[0])
		if len(b) < 1+n {
			return errors.New("a place is cut off")
		}
		s.from, b = append(s.from, string(b[1:1+n])), b[1+n:]
	}
	return nil
}
