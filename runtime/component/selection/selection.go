// Package selection selects the clients of a round by what earlier rounds have shown: their loss, their speed and
// whether they answer.
//
//	chosen := s.Some.CurrentView(g, dsl.When(g.OnTrigger(r.Number()))) // a PeerSelector slot with a Selector
//	loss := g.Input("loss", dsl.Float32(), dsl.From(chosen))
//	loss = s.Some.Call(g, "Report", dsl.Float32(), g.Sender(loss), loss)
//	mean := s.Mean.Aggregate(g, s.Mean.Contribute(g, loss, dsl.Value{}), dsl.Quorum(k))
package selection

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/peers"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Selector implements the role PeerSelector with the peers of the highest scores: the loss to the power of Loss, times the
// speed to the power of Speed, times the part of the rounds that the peer has answered to the power of Availability.
// With Loss 1 and some Candidates it is power-of-choice (Y. J. Cho and others, "Towards Understanding Biased
// Client Selection in Federated Learning", 2022); with Speed, too, it weighs like Oort (F. Lai and others, 2021).
//
// Peers that have not been asked yet come first. Peers that do not respond are left out, as long as there are others.
type Selector struct {
	Class      string
	Count      int     // of the peers in a round
	Candidates int     // the peers are selected among that many random ones; 0: among all
	Explore    float64 // the part of Count that is drawn at random, from 0 to 1

	Loss, Speed, Availability float64 // exponents; 0: that does not matter

	known []record // sorted by peer
}

// record is what is known of a peer.
type record struct {
	peer     wire.PeerID
	asked    uint64 // rounds
	answered uint64
	since    int64 // when it was last asked, ns; 0: it has answered
	before   bool  // since is of an earlier incarnation, which had another clock
	loss     float64
	took     float64 // mean time to an answer, ns; 0: unknown
}

// Open checks the configuration.
func (s *Selector) Open(runtime.Env) error {
	if s.Class == "" || s.Count < 1 || s.Candidates < 0 {
		return errors.New("selection.Selector: want a Class, a Count of 1 or more, and no negative Candidates")
	}
	if !(s.Explore >= 0 && s.Explore <= 1) {
		return fmt.Errorf("selection.Selector: Explore is %v, want a number from 0 to 1", s.Explore)
	}
	for _, e := range []float64{s.Loss, s.Speed, s.Availability} {
		if !(e >= 0 && e <= 100) {
			return fmt.Errorf("selection.Selector: Loss is %v, Speed %v and Availability %v, want numbers from 0 to 100", s.Loss, s.Speed, s.Availability)
		}
	}
	return nil
}

// CurrentView returns the peers of the next round, and counts them as asked.
func (s *Selector) CurrentView(n runtime.Peer) ([]wire.PeerID, error) {
	all, err := (&peers.View{Class: s.Class}).CurrentView(n)
	if healthy := n.Healthy(nil, all); len(healthy) > 0 {
		all = healthy
	}
	if s.Candidates > 0 {
		all = peers.Draw(n.Rand(), all, max(s.Candidates, s.Count))
	}
	chosen := s.best(all, s.Count-int(s.Explore*float64(s.Count)))
	rest := slices.DeleteFunc(slices.Clone(all), func(p wire.PeerID) bool { return slices.Contains(chosen, p) })
	chosen = append(chosen, peers.Draw(n.Rand(), rest, s.Count-len(chosen))...)
	for _, p := range chosen {
		r := s.of(p)
		r.asked++
		r.since, r.before = max(n.Now(), 1), false
	}
	return chosen, err
}

// best returns the k peers with the highest scores.
func (s *Selector) best(list []wire.PeerID, k int) []wire.PeerID {
	scores := make(map[wire.PeerID]float64, len(list))
	for _, p := range list {
		scores[p] = s.score(p)
	}
	sorted := slices.Clone(list)
	slices.SortFunc(sorted, func(a, b wire.PeerID) int { return cmp.Or(-cmp.Compare(scores[a], scores[b]), a.Compare(b)) })
	return sorted[:min(k, len(sorted))]
}

// score returns the score of a peer, +Inf if it was never asked.
func (s *Selector) score(p wire.PeerID) float64 {
	i, ok := s.find(p)
	if !ok || s.known[i].asked == 0 {
		return math.Inf(1)
	}
	r := &s.known[i]
	score := math.Pow(float64(r.answered+1)/float64(r.asked+1), s.Availability) // a missing answer may be under way
	if r.answered > 0 {
		score *= math.Pow(r.loss, s.Loss)
	}
	if r.took > 0 {
		score *= math.Pow(1e9/r.took, s.Speed)
	}
	return score
}

// Report stores the loss of a peer in the round, and how long it took to answer. It returns the loss; one that is
// negative or not finite is refused.
func (s *Selector) Report(n runtime.Peer, from wire.PeerID, loss float32) (float32, error) {
	if !(loss >= 0) || math.IsInf(float64(loss), 0) {
		return loss, fmt.Errorf("the loss is %v, want 0 or more", loss)
	}
	r := s.of(from)
	if r.since == 0 {
		return loss, nil // it was not asked, or has answered twice
	}
	if !r.before {
		r.answeredAfter(float64(max(n.Now()-r.since, 1)))
	}
	r.answered++
	r.since, r.loss = 0, float64(loss)
	return loss, nil
}

// answeredAfter records how long an answer took.
func (r *record) answeredAfter(took float64) {
	if r.took > 0 {
		took = float64(0.75*r.took) + float64(0.25*took)
	}
	r.took = took
}

func (s *Selector) find(p wire.PeerID) (int, bool) {
	return slices.BinarySearchFunc(s.known, p, func(r record, p wire.PeerID) int { return r.peer.Compare(p) })
}

// of returns the record of a peer, which is made if there is none.
func (s *Selector) of(p wire.PeerID) *record {
	i, ok := s.find(p)
	if !ok {
		s.known = slices.Insert(s.known, i, record{peer: p})
	}
	return &s.known[i]
}

// AppendBinary appends what is known of each peer.
func (s *Selector) AppendBinary(b []byte) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(len(s.known)))
	for _, r := range s.known {
		b = values.AppendPeer(b, r.peer)
		for _, x := range []uint64{r.asked, r.answered, uint64(r.since)} {
			b = binary.AppendUvarint(b, x)
		}
		b = values.AppendScalar(values.AppendScalar(b, r.loss), r.took)
	}
	return b, nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (s *Selector) UnmarshalBinary(b []byte) error {
	f := values.NewFields(b)
	var known []record
	for range f.Count(1) {
		var r record
		f.Peer(&r.peer)
		r.asked, r.answered, r.since, r.before = f.Uint(), f.Uint(), int64(f.Uint()), true
		values.ReadScalar(f, &r.loss)
		values.ReadScalar(f, &r.took)
		known = append(known, r)
	}
	if err := f.End(); err != nil {
		return err
	}
	s.known = known
	return nil
}
