package parts

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Bytes are keys and values of a Kademlia.
type Bytes = tensor.Dense[uint8]

// Finder puts a value under a key of the peer's own, and looks for that of the next peer. It reports once
// when it has found the value, and the peers that are nearest to its key: all others.
type Finder struct {
	Peers int
	rank  int
	found bool
}

// Open stores the peer's rank.
func (f *Finder) Open(e runtime.Env) error {
	f.rank = e.Rank
	return nil
}

// Put returns the peer's key and value.
func (f *Finder) Put() (key, value Bytes, err error) { return keyOf(f.rank), valueOf(f.rank), nil }

// Want returns the key of the next peer.
func (f *Finder) Want() (Bytes, error) { return keyOf((f.rank + 1) % f.Peers), nil }

func keyOf(rank int) Bytes {
	k := sha256.Sum256([]byte{byte(rank)})
	return tensor.DenseOf(k[:], len(k))
}

func valueOf(rank int) Bytes { return tensor.DenseOf(fmt.Append(nil, "of ", rank), 4) }

// Found returns the leader's id when the value and all peers have been found for the first time.
func (f *Finder) Found(n runtime.Peer, value Bytes, near []wire.PeerID) ([]wire.PeerID, Vec, error) {
	x := tensor.DenseOf([]float64{float64(f.rank), float64(f.Peers)}, 2)
	next := (f.rank + 1) % f.Peers
	if len(value.Data) > 0 && !bytes.Equal(value.Data, valueOf(next).Data) {
		return nil, x, fmt.Errorf("the value of peer %d is %q", next, value.Data)
	}
	want := slices.DeleteFunc(n.Peers(nil, "worker"), func(p wire.PeerID) bool { return p == n.Self() })
	slices.SortFunc(want, func(a, b wire.PeerID) int { return bytes.Compare(farFrom(a, keyOf(next)), farFrom(b, keyOf(next))) })
	if len(near) >= len(want) && !slices.Equal(near, want) {
		return nil, x, fmt.Errorf("the peers nearest to the key of peer %d are %v, want %v", next, near, want)
	}
	if f.found || f.Peers > 1 && (len(value.Data) == 0 || len(near) < len(want)) {
		return nil, x, nil
	}
	f.found = true
	return n.Peers(nil, "leader"), x, nil
}

func farFrom(p wire.PeerID, key Bytes) []byte {
	k := p.Key()
	for i := range k {
		k[i] ^= key.Data[i]
	}
	return k[:]
}

// AppendBinary appends the state.
func (f *Finder) AppendBinary(b []byte) ([]byte, error) { return values.AppendScalar(b, f.found), nil }

// UnmarshalBinary sets the state.
func (f *Finder) UnmarshalBinary(b []byte) error {
	r := values.NewFields(b)
	values.ReadScalar(r, &f.found)
	return r.End()
}
