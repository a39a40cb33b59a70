package registry

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// The limits of a message.
const (
	maxWants     = 16
	maxAddresses = 8
	maxName      = 64   // bytes of a class's name
	maxAnswer    = 1024 // peers
)

// hello is an announcement of a client, with its validity.
type hello struct {
	ttl       uint64 // seconds
	wants     []string
	addresses []wire.Address
}

func (h *hello) append(b []byte) []byte {
	b = binary.AppendUvarint(b, h.ttl)
	b = binary.AppendUvarint(b, uint64(len(h.wants)))
	for _, class := range h.wants {
		b = values.AppendText(b, class)
	}
	return appendAddresses(b, h.addresses)
}

var errMany = errors.New("more than a message may hold")

func (h *hello) parse(b []byte) error {
	r := values.NewFields(b)
	h.ttl = r.Uint()
	n := r.Uint()
	if n > maxWants {
		return fmt.Errorf("%d classes: %w", n, errMany)
	}
	for range n {
		class := r.Text()
		if len(class) > maxName {
			return fmt.Errorf("the name of a class has %d bytes: %w", len(class), errMany)
		}
		h.wants = append(h.wants, class)
	}
	var err error
	if h.addresses, err = addresses(r); err != nil {
		return err
	}
	return r.End()
}

// found is a peer in a registry's answer.
type found struct {
	id        wire.PeerID
	class     string
	rank      int
	ttl       int64 // remaining ns
	addresses []wire.Address
}

func (f *found) append(b []byte) []byte {
	b = values.AppendPeer(b, f.id)
	b = values.AppendText(b, f.class)
	b = binary.AppendUvarint(b, uint64(f.rank))
	b = binary.AppendUvarint(b, uint64(f.ttl))
	return appendAddresses(b, f.addresses)
}

// parseAnswer parses the answer of a registry.
func parseAnswer(b []byte) ([]found, error) {
	r := values.NewFields(b)
	n := r.Uint()
	if n > maxAnswer {
		return nil, fmt.Errorf("%d peers: %w", n, errMany)
	}
	var list []found
	for range n {
		var f found
		r.Peer(&f.id)
		f.class = r.Text()
		f.rank, f.ttl = int(min(r.Uint(), 1<<31-1)), int64(min(r.Uint(), uint64(maxTTL)))
		var err error
		if f.addresses, err = addresses(r); err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, r.End()
}

func appendAddresses(b []byte, list []wire.Address) []byte {
	list = list[max(0, len(list)-maxAddresses):] // the latest ones
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, a := range list {
		b = values.AppendText(b, string(a))
	}
	return b
}

func addresses(r *values.Fields) ([]wire.Address, error) {
	n := r.Uint()
	if n > maxAddresses {
		return nil, fmt.Errorf("%d addresses: %w", n, errMany)
	}
	var list []wire.Address
	for range n {
		list = append(list, wire.Address(r.Text()))
	}
	return list, nil
}

// note records addresses of a peer in the node's address book. An address that names another peer is refused.
func note(n runtime.Peer, id wire.PeerID, list []wire.Address) error {
	texts := make([]string, len(list))
	for i, a := range list {
		if p, ok := a.Peer(); ok && p != id {
			return fmt.Errorf("the address %s of peer %v is another peer's", a, id)
		}
		texts[i] = string(a)
	}
	return n.InsertAddress(id, texts...)
}
