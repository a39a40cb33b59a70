package collective

import "fmt"

// Type is what a message is for.
type Type uint8

// The types of messages.
const (
	Data    Type = iota // a chunk, or that the sender has come so far
	Ready               // the sender has begun the call and takes any chunk
	Failed              // the call has failed at the sender; Step is the number of the reason
	Lost                // ranks are lost, and what the sender has: see agree.go
	Decided             // the next epoch has begun, and how
	LeftOut             // the receiver is no member any more
	numTypes
)

// Message is what one rank sends to another.
type Message struct {
	Stream int
	Type   Type
	Call   uint64
	Epoch  Epoch
	Chunk  int
	Step   int    // how many of the chunk have come from the sender before
	Length uint64 // elements of the whole value
	Data   []byte
}

// Epoch is a membership: its number, and a hash of the members and of those before.
type Epoch struct{ Number, View uint32 }

// Words is how many numbers [Message.Words] gives.
const Words = 4

// Limits of what fits into the numbers.
const (
	maxStep  = 1<<20 - 1
	maxChunk = 1<<40 - 1
)

// Words are the message without stream and data.
func (m *Message) Words() [Words]uint64 {
	return [Words]uint64{
		m.Call,
		uint64(m.Epoch.Number)<<32 | uint64(m.Epoch.View),
		uint64(m.Chunk)<<24 | uint64(m.Step)<<4 | uint64(m.Type),
		m.Length,
	}
}

// SetWords is the inverse of [Message.Words].
func (m *Message) SetWords(w []uint64) error {
	if len(w) != Words {
		return fmt.Errorf("%w: %d numbers, want %d", ErrMessage, len(w), Words)
	}
	m.Call, m.Length = w[0], w[3]
	m.Epoch = Epoch{uint32(w[1] >> 32), uint32(w[1])}
	m.Type, m.Step, m.Chunk = Type(w[2]&15), int(w[2]>>4&maxStep), int(w[2]>>24&maxChunk)
	if m.Type >= numTypes {
		return fmt.Errorf("%w: of type %d", ErrMessage, m.Type)
	}
	return nil
}
