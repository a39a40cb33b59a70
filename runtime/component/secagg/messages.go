package secagg

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// message is a message of or for a peer.
type message struct {
	peer wire.PeerID
	body []byte
}

// appendMessages appends a list.
func appendMessages(b []byte, list []message) []byte {
	b = values.AppendScalar(b, int64(len(list)))
	for _, l := range list {
		b = values.AppendScalar(values.AppendPeer(b, l.peer), int64(len(l.body)))
		b = append(b, l.body...)
	}
	return b
}

var errOrder = errors.New("the peers are not in order, each once")

// readMessages reads a list whose peers must be sorted and unique. Bodies are borrowed.
func readMessages(b []byte) ([]message, error) {
	f := values.NewFields(b)
	list, err := takeMessages(f, len(b))
	if err != nil {
		return nil, err
	}
	if err := f.End(); err != nil {
		return nil, err
	}
	if !slices.IsSortedFunc(list, compare) {
		return nil, errOrder
	}
	for i := 1; i < len(list); i++ {
		if list[i-1].peer == list[i].peer {
			return nil, errOrder
		}
	}
	return list, nil
}

// takeMessages reads a list from fields of size bytes.
func takeMessages(f *values.Fields, size int) (list []message, err error) {
	n, err := takeSize(f, size)
	for range n {
		var m message
		if f.Peer(&m.peer); m.peer.IsZero() {
			return nil, cmp.Or(f.Err(), errNobody)
		}
		length, err := takeSize(f, size)
		if err != nil {
			return nil, err
		}
		m.body = f.Bytes(length)
		list = append(list, m)
	}
	return list, cmp.Or(err, f.Err())
}

var errNobody = errors.New("a message is of no peer")

// takeSize reads how many messages or bytes follow, which are at most as many as the size in bytes of all fields.
func takeSize(f *values.Fields, size int) (int, error) {
	var n int64
	values.ReadScalar(f, &n)
	if n < 0 || n > int64(size) {
		return 0, fmt.Errorf("messages: found a size of %d, want 0 to %d", n, size)
	}
	return int(n), f.Err()
}

func compare(a, b message) int { return a.peer.Compare(b.peer) }

// find returns the index of a peer, or -1.
func find(list []message, p wire.PeerID) int {
	i, ok := slices.BinarySearchFunc(list, message{peer: p}, compare)
	if !ok {
		return -1
	}
	return i
}

// hash returns a hash of parts, each with its length.
func hash(parts ...[]byte) (sum [sha256.Size]byte) {
	var b []byte
	for _, p := range parts {
		b = append(values.AppendScalar(b, int64(len(p))), p...)
	}
	return sha256.Sum256(b)
}

// vector returns bytes as a tensor.
func vector(b []byte) tensor.Dense[uint8] { return tensor.DenseOf(b, len(b)) }
