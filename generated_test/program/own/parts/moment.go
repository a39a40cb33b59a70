package parts

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Moment is a protobuf message on edges: this is all that one wants.
type Moment struct{ *timestamppb.Timestamp }

// AppendBinary appends the message, always the same bytes for the same one.
func (m *Moment) AppendBinary(b []byte) ([]byte, error) {
	return proto.MarshalOptions{Deterministic: true}.MarshalAppend(b, m.Timestamp)
}

// UnmarshalBinary reads it.
func (m *Moment) UnmarshalBinary(b []byte) error {
	m.Timestamp = new(timestamppb.Timestamp)
	return proto.Unmarshal(b, m.Timestamp)
}

// At is the moment of a round.
func (*Clerk) At(round int64) (Moment, error) {
	return Moment{&timestamppb.Timestamp{Seconds: 1e9 + round}}, nil
}

// Seconds is a moment as a number.
func (s *Sensor) Seconds(m Moment) (tensor.Dense[int64], error) {
	return tensor.DenseOf([]int64{m.GetSeconds()}, 1), nil
}
