package kademlia

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// request is what a peer asks others.
type request struct {
	number uint64 // of the lookup; 0: a ping
	op     op
	key    Key
	value  []byte // to be stored
}

// op is what a request wants.
type op uint8

const (
	opPing op = iota
	opFindPeers
	opFindValue
	opStore
	ops
)

// reply is the answer to a request.
type reply struct {
	number uint64
	value  []byte        // nil: there is none
	peers  []wire.PeerID // the nearest that the answering peer knows
}

var errMessage = errors.New("a request of an unknown kind")

func (r *request) message() tensor.Dense[uint8] {
	b := binary.AppendUvarint(nil, r.number)
	b = append(b, byte(r.op))
	b = appendKey(b, r.key)
	b = values.AppendDense(b, tensor.DenseOf(r.value, len(r.value)))
	return tensor.DenseOf(b, len(b))
}

func parseRequest(b []byte) (r request, err error) {
	f := values.NewFields(b)
	r.number = f.Uint()
	var o uint8
	values.ReadScalar(f, &o)
	r.op = op(o)
	readKey(f, &r.key)
	if r.value, err = readValue(f); err != nil {
		return r, err
	}
	if err := f.End(); err != nil {
		return r, err
	}
	if r.op >= ops {
		return r, fmt.Errorf("%w: %d, want at most %d", errMessage, r.op, ops-1)
	}
	return r, nil
}

func (r *reply) message() tensor.Dense[uint8] {
	b := binary.AppendUvarint(nil, r.number)
	b = values.AppendDense(b, tensor.DenseOf(r.value, len(r.value)))
	b = values.AppendPeers(b, r.peers)
	return tensor.DenseOf(b, len(b))
}

func parseReply(b []byte) (r reply, err error) {
	f := values.NewFields(b)
	r.number = f.Uint()
	if r.value, err = readValue(f); err != nil {
		return r, err
	}
	f.Peers(&r.peers)
	if err := f.End(); err != nil {
		return r, err
	}
	if len(r.peers) > maxK {
		return r, fmt.Errorf("an answer with %d peers, want at most %d", len(r.peers), maxK)
	}
	return r, nil
}

// readValue reads a value; nil if it is empty.
func readValue(f *values.Fields) ([]byte, error) {
	var v tensor.Dense[uint8]
	values.ReadDense(f, &v)
	if len(v.Data) > MaxValue {
		return nil, fmt.Errorf("a value of %d bytes, want at most %d", len(v.Data), MaxValue)
	}
	return append([]byte(nil), v.Data...), nil
}

func appendKey(b []byte, k Key) []byte { return append(b, k[:]...) }

func readKey(f *values.Fields, k *Key) {
	for i := range k {
		values.ReadScalar(f, &k[i])
	}
}
