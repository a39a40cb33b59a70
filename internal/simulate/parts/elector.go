package parts

import (
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/selection"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Elector is a selection of workers that has records of its own of what they were asked and have answered, and checks by
// these that each selection is the best one.
type Elector struct {
	selection.Selector
	Answers bool // the first worker is asked, too: the only one that answers

	told [Many]dealings // by rank
}

// dealings is what the leader and a worker have told each other.
type dealings struct {
	asked, answered int64
	open            bool  // the last question has no answer
	since           int64 // when it was asked; 0: by an earlier incarnation
	loss            float64
	took            float64 // mean time to an answer, ns; 0: unknown
}

// Electors returns a selection by each of what is known of workers, and by all of it.
func Electors() []Elector {
	list := []selection.Selector{
		{Loss: 1}, {Speed: 1}, {Loss: 1, Candidates: 2}, {Loss: 1, Speed: 0.5, Availability: 2},
	}
	var all []Elector
	for _, s := range list {
		s.Class, s.Count = "worker", 1
		all = append(all, Elector{Selector: s})
	}
	return all
}

// Available is a selection of two workers by how often they have answered. Only the first worker does.
func Available() Elector {
	return Elector{Selector: selection.Selector{Class: "worker", Count: 2, Availability: 1}, Answers: true}
}

// CurrentView returns what the selector has selected.
func (e *Elector) CurrentView(n runtime.Peer) ([]wire.PeerID, error) {
	all := n.Peers(nil, e.Class)
	chosen, err := e.Selector.CurrentView(n)
	if err == nil {
		err = e.check(n, all, chosen)
	}
	if err != nil {
		return nil, err
	}
	for _, p := range chosen {
		d := &e.told[slices.Index(all, p)]
		d.asked++
		d.open, d.since = true, max(n.Now(), 1)
	}
	if e.Answers && !slices.Contains(chosen, all[0]) {
		chosen = append(chosen, all[0])
	}
	return chosen, nil
}

// check compares a selection with the peers that are not in it. Random candidates leave out some better ones.
func (e *Elector) check(n runtime.Peer, all, chosen []wire.PeerID) error {
	able := n.Healthy(nil, all)
	if len(able) == 0 {
		able = all
	}
	if len(chosen) != min(e.Count, len(able)) {
		return fmt.Errorf("%d peers of %d are selected, want %d", len(chosen), len(able), e.Count)
	}
	missed := 0
	if e.Candidates > 0 {
		missed = max(len(able)-e.Candidates, 0)
	}
	for _, p := range chosen {
		if !slices.Contains(able, p) {
			return fmt.Errorf("%v is selected, which is silent", p)
		}
		mark := e.mark(all, p)
		better := slices.DeleteFunc(slices.Clone(able), func(q wire.PeerID) bool {
			return slices.Contains(chosen, q) || !(e.mark(all, q) > mark+1e-9)
		})
		if len(better) > missed {
			return fmt.Errorf("%v is selected before %v, of which %+v is known", p, better, e.told)
		}
	}
	return nil
}

// mark is the logarithm of a peer's score.
func (e *Elector) mark(all []wire.PeerID, p wire.PeerID) float64 {
	d := e.told[slices.Index(all, p)]
	if d.asked == 0 {
		return math.Inf(1)
	}
	sum := e.Availability * math.Log(float64(d.answered+1)/float64(d.asked+1))
	if d.answered > 0 && e.Loss > 0 {
		sum += e.Loss * math.Log(d.loss)
	}
	if d.took > 0 {
		sum -= e.Speed * math.Log(d.took/1e9)
	}
	return sum
}

// Report takes the loss of a worker.
func (e *Elector) Report(n runtime.Peer, from wire.PeerID, loss float32) (float32, error) {
	d := &e.told[slices.Index(n.Peers(nil, e.Class), from)]
	if d.open {
		d.answer(n.Now(), float64(loss))
	}
	return e.Selector.Report(n, from, loss)
}

func (d *dealings) answer(now int64, loss float64) {
	d.open, d.loss = false, loss
	d.answered++
	switch took := float64(now - d.since); {
	case d.since == 0: // nobody knows how long it took
	case d.took == 0:
		d.took = max(took, 1)
	default:
		d.took += (max(took, 1) - d.took) / 4
	}
}

// AppendBinary appends the state.
func (e *Elector) AppendBinary(b []byte) ([]byte, error) {
	for _, d := range e.told {
		b = values.AppendScalar(values.AppendScalar(b, d.asked), d.answered)
		b = values.AppendScalar(values.AppendScalar(values.AppendScalar(b, d.open), d.loss), d.took)
	}
	return e.Selector.AppendBinary(b)
}

// UnmarshalBinary sets the state. Times of this incarnation have another beginning.
func (e *Elector) UnmarshalBinary(b []byte) error {
	own, err := (&Elector{}).AppendBinary(nil)
	if err != nil {
		return err
	}
	size := len(own) - 1 // without the state of a selector that knows nobody
	f := values.NewFields(b[:min(size, len(b))])
	for i := range e.told {
		d := &e.told[i]
		d.since = 0
		values.ReadScalar(f, &d.asked)
		values.ReadScalar(f, &d.answered)
		values.ReadScalar(f, &d.open)
		values.ReadScalar(f, &d.loss)
		values.ReadScalar(f, &d.took)
	}
	if err := f.End(); err != nil {
		return err
	}
	return e.Selector.UnmarshalBinary(b[size:])
}
