package parts

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Pair is a value of an author's type: two numbers.
type Pair struct{ X, Y float64 }

// AppendBinary appends both.
func (p *Pair) AppendBinary(b []byte) ([]byte, error) {
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(p.X))
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(p.Y)), nil
}

// UnmarshalBinary is the inverse of AppendBinary.
func (p *Pair) UnmarshalBinary(b []byte) error {
	if len(b) != 16 {
		return errors.New("want two numbers")
	}
	p.X = math.Float64frombits(binary.LittleEndian.Uint64(b))
	p.Y = math.Float64frombits(binary.LittleEndian.Uint64(b[8:]))
	return nil
}

// Clerk makes pairs of vectors, and selects peers.
type Clerk struct{}

// Pack makes a pair.
func (*Clerk) Pack(x Vec) (Pair, error) { return Pair{x.Data[0], x.Data[1]}, nil }

// Unpack makes a vector.
func (*Clerk) Unpack(p Pair) (Vec, error) { return tensor.DenseOf([]float64{p.X, p.Y}, 2), nil }

// Relays returns the ids of all relays when a value is available.
func (*Clerk) Relays(n runtime.Peer, _ Vec) ([]wire.PeerID, error) {
	return n.Peers(nil, "relay"), nil
}

// Self returns the peer's own id.
func (*Clerk) Self(n runtime.Peer) ([]wire.PeerID, error) { return []wire.PeerID{n.Self()}, nil }
