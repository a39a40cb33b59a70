package registry

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// The limits of an announcement's validity.
const (
	minTTL = 1 * time.Second
	maxTTL = 300 * time.Second
)

// Server implements the role Protocol of a registry: it records announcements, and answers requests for peers.
type Server struct {
	Most   int // the maximum number of recorded peers; 0: 4096
	Answer int // the maximum number of peers of a class in an answer, randomly chosen; 0: 32

	table
}

// table is peers with the end of their validity, by id.
type table struct {
	list []member
	now  int64 // of the latest call: snapshots hold remaining times
}

type member struct {
	id    wire.PeerID
	until int64
}

// Receive records an announcement, and answers with the requested other peers.
func (s *Server) Receive(n runtime.Peer, from wire.PeerID, message tensor.Dense[uint8]) ([]wire.PeerID, tensor.Dense[uint8], error) {
	var h hello
	if err := h.parse(message.Data); err != nil {
		return nil, tensor.Dense[uint8]{}, err
	}
	s.expire(n.Now())
	ttl := min(max(time.Duration(min(h.ttl, uint64(maxTTL/time.Second)))*time.Second, minTTL), maxTTL)
	if !s.note(from, n.Now()+int64(ttl), cmp.Or(s.Most, 4096)) {
		return nil, tensor.Dense[uint8]{}, fmt.Errorf("the registry is full: %d peers are there", len(s.list))
	}
	if err := note(n, from, h.addresses); err != nil {
		return nil, tensor.Dense[uint8]{}, err
	}
	b := s.answer(n, from, h.wants)
	return []wire.PeerID{from}, tensor.DenseOf(b, len(b)), nil
}

// answer returns a message with the peers of some classes.
func (s *Server) answer(n runtime.Peer, from wire.PeerID, wants []string) []byte {
	var out []found
	for _, class := range wants {
		var list []found
		for _, m := range s.list {
			if c, rank, ok := n.ClassOf(m.id); ok && classes.Is(c, class) && m.id != from {
				list = append(list, found{m.id, c, rank, m.until - n.Now(), n.Address(m.id)})
			}
		}
		most := max(min(cmp.Or(s.Answer, 32), maxAnswer/maxWants), 0)
		for i := range list[:min(most, len(list))] {
			if len(list) > most {
				j := i + n.Rand().IntN(len(list)-i)
				list[i], list[j] = list[j], list[i]
			}
			out = append(out, list[i])
		}
	}
	b := binary.AppendUvarint(nil, uint64(len(out)))
	for i := range out {
		b = out[i].append(b)
	}
	return b
}

// expire removes peers without a recent announcement.
func (t *table) expire(now int64) {
	t.now = now
	t.list = slices.DeleteFunc(t.list, func(m member) bool { return m.until <= now })
}

func (t *table) find(id wire.PeerID) (int, bool) {
	return slices.BinarySearchFunc(t.list, id, func(m member, id wire.PeerID) int { return m.id.Compare(id) })
}

func (t *table) has(id wire.PeerID) bool {
	_, ok := t.find(id)
	return ok
}

// note sets the validity of a peer. It reports whether there is room.
func (t *table) note(id wire.PeerID, until int64, most int) bool {
	i, ok := t.find(id)
	switch {
	case ok:
		t.list[i].until = until
	case len(t.list) >= most:
		return false
	default:
		t.list = slices.Insert(t.list, i, member{id, until})
	}
	return true
}

// AppendBinary appends the peers, and their remaining validity.
func (t *table) AppendBinary(b []byte) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(len(t.list)))
	for _, m := range t.list {
		b = values.AppendPeer(b, m.id)
		b = binary.AppendUvarint(b, uint64(max(m.until-t.now, 0)))
	}
	return b, nil
}

// memberSize is the minimum encoded size of a member.
const memberSize = 33

// UnmarshalBinary reads the output of AppendBinary: time begins at 0.
func (t *table) UnmarshalBinary(b []byte) error {
	var x table
	r := values.NewFields(b)
	n := r.Uint()
	if n > uint64(len(b)/memberSize) {
		return fmt.Errorf("%d peers in %d bytes", n, len(b))
	}
	for range n {
		var id wire.PeerID
		r.Peer(&id)
		x.note(id, int64(min(r.Uint(), uint64(maxTTL))), int(n))
	}
	if err := r.End(); err != nil {
		return err
	}
	*t = x
	return nil
}
