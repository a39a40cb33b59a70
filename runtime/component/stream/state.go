package stream

import (
	"fmt"
	"hash/crc32"

	"github.com/bbgen/bbgen/runtime/values"
)

// state is what snapshots hold.
type state struct {
	position int64  // in bytes, of the first line that is not in a batch
	line     int64  // its number, from 0
	samples  int64  // of the last batch
	before   uint32 // the checksum of the bytes before the position
}

// marked is the largest number of bytes before the position that are compared.
const marked = 512

// moveTo makes next the state, with the checksum of the bytes before it.
func (s *state) moveTo(next state, f file) (err error) {
	if next.before, err = next.checksum(f); err == nil {
		*s = next
	}
	return err
}

// checksum reads the bytes before the position.
func (s *state) checksum(f file) (uint32, error) {
	b := make([]byte, min(s.position, marked))
	_, err := f.ReadAt(b, s.position-int64(len(b)))
	if err != nil && len(b) > 0 {
		return 0, err
	}
	return crc32.ChecksumIEEE(b), nil
}

// AppendBinary appends the position.
func (l *Lines) AppendBinary(b []byte) ([]byte, error) {
	b = values.AppendScalar(values.AppendScalar(b, l.position), l.line)
	return values.AppendScalar(values.AppendScalar(b, l.samples), l.before), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (l *Lines) UnmarshalBinary(b []byte) error {
	var read state
	f := values.NewFields(b)
	values.ReadScalar(f, &read.position)
	values.ReadScalar(f, &read.line)
	values.ReadScalar(f, &read.samples)
	values.ReadScalar(f, &read.before)
	if err := f.End(); err != nil {
		return err
	}
	if read.position < 0 || read.line < 0 || read.samples < 0 {
		return fmt.Errorf("stream: the position is %d, in line %d, want 0 or more", read.position, read.line)
	}
	l.state = read
	return nil
}
