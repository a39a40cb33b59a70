package collective

import (
	"bytes"
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Type is the type of a message.
type Type uint8

// The types of messages.
const (
	Data    Type = iota // a chunk, or a confirmation of the sender
	Ready               // the sender has begun the call and accepts any chunk
	Failed              // the call has failed at the sender; Step is the number of the reason, Chunk the blamed rank plus 1
	Lost                // lost ranks, and the sender's results: see agree.go
	Decided             // the decision that began the next epoch
	LeftOut             // the receiver is not a member any more
	Ask                 // the sender waits for the receiver's part in the call
	Gone                // the sender has stopped and does not take part any more
	Join                // the sender asks for admission; Call is its ticket
	Welcome             // the receiver, whose ticket is Call, is a member: see join.go
	numTypes
)

// A Message is a message of one rank to another.
type Message struct {
	Stream int
	Type   Type
	Call   uint64
	Epoch  Epoch
	Chunk  int
	Step   int    // how many messages of the chunk the sender has sent before
	Length uint64 // elements of the whole value

	Algorithm Algorithm // of data: that of the call; Auto if a rank supplies its result
	Data      []byte

	// Memory contains the data of a pulled message if it has a reference count: they are not changed while a
	// reference is held. [Group.Receive] ignores it.
	Memory *tensor.Memory
}

// lastChunk is the chunk number of a confirmation, as ranks may have different numbers of chunks.
const lastChunk = maxWord

// IsConfirmation reports whether the message tells that its sender has its result, and what is known about links.
func (m *Message) IsConfirmation() bool { return m.Type == Data && m.Chunk == lastChunk }

// An Epoch is a membership: its number, and a hash of its members and earlier ones.
type Epoch struct{ Number, View uint32 }

// Words is the number of the numbers of [Message.Words], each of wordBits, the size of a dimension.
const (
	Words    = 8
	wordBits = 31
	maxWord  = 1<<wordBits - 1
)

// Words returns the message without stream and data as numbers.
func (m *Message) Words() [Words]uint64 {
	return [Words]uint64{
		m.Call & maxWord, m.Call >> wordBits,
		uint64(m.Epoch.Number), uint64(m.Epoch.View),
		uint64(m.Chunk), uint64(m.Step)<<8 | uint64(m.Algorithm)<<4 | uint64(m.Type),
		m.Length & maxWord, m.Length >> wordBits,
	}
}

// Equal reports whether two messages are the same, such as one that came again on another connection.
func (m *Message) Equal(other *Message) bool {
	return m.Stream == other.Stream && m.Words() == other.Words() && bytes.Equal(m.Data, other.Data)
}

// SetWords is the inverse of [Message.Words].
func (m *Message) SetWords(w []uint64) error {
	if len(w) != Words {
		return fmt.Errorf("%w: %d numbers, want %d", ErrMessage, len(w), Words)
	}
	for _, x := range w {
		if x > maxWord {
			return fmt.Errorf("%w: number %d, want %d at most", ErrMessage, x, maxWord)
		}
	}
	m.Call, m.Length = w[0]|w[1]<<wordBits, w[6]|w[7]<<wordBits
	m.Epoch = Epoch{uint32(w[2]), uint32(w[3])}
	m.Chunk, m.Step, m.Algorithm, m.Type = int(w[4]), int(w[5]>>8), Algorithm(w[5]>>4&15), Type(w[5]&15)
	if m.Type >= numTypes || m.Algorithm >= numAlgorithms {
		return fmt.Errorf("%w: of type %d and algorithm %d", ErrMessage, m.Type, m.Algorithm)
	}
	return nil
}
