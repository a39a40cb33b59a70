// Package sampling is random peer sampling by gossip: each peer knows a few others, and repeatedly exchanges
// some of them with other peers, so that the known peers are at any time like a random sample of all live
// peers, and dead peers are soon forgotten. It is CYCLON, of S. Voulgaris, D. Gavidia and M. van Steen,
// "CYCLON: Inexpensive Membership Management for Unstructured P2P Overlays", 2005.
//
//	w.Gossip.Run(g, "shuffle", time.Second) // a Protocol slot with a Shuffle
//	w.Others.Sample(g, 3)                   // a PeerSelector slot with a View of it
package sampling

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/component/peers"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Shuffle implements the role Protocol of a gossiping peer. It begins with the peers that follow it by rank.
type Shuffle struct {
	Class  string
	Size   int  // the number of known peers; 0: 20
	Swap   int  // the number of peers in an exchange; 0: half of Size
	Random bool // begin with random peers, so that large groups are well mixed from the start

	view  []entry
	given []wire.PeerID // the peers that the last Tick has sent: answers replace them
	begun bool
}

// entry is a known peer, with its age in exchanges.
type entry struct {
	id  wire.PeerID
	age uint32
}

const maxSize = 256

// Open says what is wrong with the sizes.
func (s *Shuffle) Open(runtime.Env) error {
	if s.size() > maxSize || s.Size < 0 || s.Swap < 0 || s.swap() > s.size() {
		return fmt.Errorf("sampling.Shuffle: Size is %d and Swap %d, want at most %d and no more than that", s.Size, s.Swap, maxSize)
	}
	return nil
}

func (s *Shuffle) size() int { return cmp.Or(s.Size, 20) }
func (s *Shuffle) swap() int { return cmp.Or(s.Swap, (s.size()+1)/2) }

// Tick begins an exchange with the oldest known peer. If that peer is dead it is now forgotten; otherwise its answer or
// other peers bring it back.
func (s *Shuffle) Tick(n runtime.Peer) ([]wire.PeerID, tensor.Dense[uint8], error) {
	s.begin(n)
	oldest := -1
	for i := range s.view {
		s.view[i].age++
		if oldest < 0 || s.view[i].age > s.view[oldest].age {
			oldest = i
		}
	}
	if oldest < 0 {
		s.begun = false // peers that connect later are known then
		return nil, message(nil), nil
	}
	to := s.view[oldest].id
	s.view = slices.Delete(s.view, oldest, oldest+1)
	some := s.draw(n, s.swap()-1)
	s.given = s.given[:0]
	for _, e := range some {
		s.given = append(s.given, e.id)
	}
	return []wire.PeerID{to}, message(append(some, entry{id: n.Self()})), nil
}

// begin fills the view with the next peers by rank, or with random ones.
func (s *Shuffle) begin(n runtime.Peer) {
	if s.begun {
		return
	}
	s.begun = true
	all := n.Peers(nil, s.Class)
	self := slices.Index(all, n.Self())
	for i := 1; i < len(all) && len(s.view) < s.size(); i++ {
		next := self + i
		if s.Random {
			next = n.Rand().IntN(len(all))
		}
		s.add(n, entry{id: all[next%len(all)]})
	}
}

// draw returns k random entries.
func (s *Shuffle) draw(n runtime.Peer, k int) []entry {
	list := slices.Clone(s.view)
	n.Rand().Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:min(k, len(list))]
}

// Receive answers an exchange with as many peers.
func (s *Shuffle) Receive(n runtime.Peer, from wire.PeerID, m tensor.Dense[uint8]) ([]wire.PeerID, tensor.Dense[uint8], error) {
	s.begin(n)
	got, err := parse(m.Data)
	if err != nil {
		return nil, tensor.Dense[uint8]{}, err
	}
	mine := s.draw(n, s.swap())
	given := make([]wire.PeerID, len(mine))
	for i, e := range mine {
		given[i] = e.id
	}
	s.merge(n, got, given)
	return []wire.PeerID{from}, message(mine), nil
}

// Answered ends an exchange. Where there is room the peer that has answered stays known: among few peers, nobody else
// brings it back before it begins an exchange itself.
func (s *Shuffle) Answered(n runtime.Peer, from wire.PeerID, m tensor.Dense[uint8]) error {
	got, err := parse(m.Data)
	if err != nil {
		return err
	}
	s.merge(n, got, s.given)
	s.given = s.given[:0]
	s.add(n, entry{id: from})
	return nil
}

// merge adds peers to the view: first where there is room, then in place of those that were given away.
func (s *Shuffle) merge(n runtime.Peer, got []entry, given []wire.PeerID) {
	for _, e := range got {
		for len(s.view) >= s.size() && len(given) > 0 && !s.has(e.id) {
			gone := given[0]
			given = given[1:]
			s.view = slices.DeleteFunc(s.view, func(e entry) bool { return e.id == gone })
		}
		s.add(n, e)
	}
}

// add adds a peer to the view, if it is admitted, not known yet, and there is room.
func (s *Shuffle) add(n runtime.Peer, e entry) {
	class, _, _ := n.ClassOf(e.id)
	if classes.Is(class, s.Class) && e.id != n.Self() && !s.has(e.id) && len(s.view) < s.size() {
		s.view = append(s.view, e)
	}
}

func (s *Shuffle) has(id wire.PeerID) bool {
	return slices.ContainsFunc(s.view, func(e entry) bool { return e.id == id })
}

// View implements the role PeerSelector for the peers that a Shuffle knows. Its field Shuffle is the component
// in the protocol's slot, set with Needs.
type View struct{ Shuffle *Shuffle }

// CurrentView returns all known peers.
func (v *View) CurrentView(n runtime.Peer) ([]wire.PeerID, error) {
	v.Shuffle.begin(n)
	list := make([]wire.PeerID, len(v.Shuffle.view))
	for i, e := range v.Shuffle.view {
		list[i] = e.id
	}
	return list, nil
}

// Select returns k of the peers: kind is "random", or "all".
func (v *View) Select(n runtime.Peer, kind string, k int) ([]wire.PeerID, error) {
	list, _ := v.CurrentView(n)
	return peers.Select(n.Rand(), list, kind, k)
}

// Sample draws k of the peers.
func (v *View) Sample(n runtime.Peer, k int) ([]wire.PeerID, error) { return v.Select(n, "random", k) }

// SelectNear returns the k peers nearest to a key, like [peers.View].
func (v *View) SelectNear(n runtime.Peer, key tensor.Dense[uint8], k int) ([]wire.PeerID, error) {
	list, _ := v.CurrentView(n)
	return peers.Nearest(list, key.Data, k), nil
}

func message(list []entry) tensor.Dense[uint8] {
	b := appendEntries(nil, list)
	return tensor.DenseOf(b, len(b))
}

func appendEntries(b []byte, list []entry) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, e := range list {
		b = binary.AppendUvarint(values.AppendPeer(b, e.id), uint64(e.age))
	}
	return b
}

func parse(b []byte) ([]entry, error) {
	r := values.NewFields(b)
	list, err := readEntries(r)
	if err != nil {
		return nil, err
	}
	return list, r.End()
}

var errMany = errors.New("more peers than a view has")

func readEntries(r *values.Fields) ([]entry, error) {
	n := r.Uint()
	if n > maxSize {
		return nil, errMany
	}
	list := make([]entry, n)
	for i := range list {
		r.Peer(&list[i].id)
		list[i].age = uint32(min(r.Uint(), 1<<20))
	}
	return list, nil
}

// AppendBinary appends the known peers.
func (s *Shuffle) AppendBinary(b []byte) ([]byte, error) {
	b = appendEntries(b, s.view)
	b = values.AppendPeers(b, s.given)
	return values.AppendScalar(b, s.begun), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (s *Shuffle) UnmarshalBinary(b []byte) error {
	var x Shuffle
	var err error
	r := values.NewFields(b)
	if x.view, err = readEntries(r); err != nil {
		return err
	}
	r.Peers(&x.given)
	values.ReadScalar(r, &x.begun)
	if err := r.End(); err != nil {
		return err
	}
	s.view, s.given, s.begun = x.view, x.given, x.begun
	return nil
}
