package parts

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Logged is the number of rounds in the workers' log.
const Logged = 6

// Voter computes the outcomes of rounds in a replicated log, and reports those that are decided.
type Voter struct{ rank int }

// Open stores the peer's rank.
func (v *Voter) Open(e runtime.Env) error {
	v.rank = e.Rank
	return nil
}

// Outcome counts the rounds in the first element. The second one depends on which servers led.
func (v *Voter) Outcome(x Model) (Model, error) {
	return tensor.DenseOf([]float32{x.Data[0] + 1, 4*x.Data[1] + float32(v.rank)}, 2), nil
}

// Decided returns a report of a decided round for the leader: the rank, the number of the round, and its outcome.
// Last is for the last round only.
func (v *Voter) Decided(n runtime.Peer, round int64, x Model) (to []wire.PeerID, report Vec, last []wire.PeerID, rank Vec, err error) {
	report = tensor.DenseOf([]float64{float64(round), float64(x.Data[0]), float64(x.Data[1])}, 3)
	rank = tensor.DenseOf([]float64{float64(v.rank), Logged}, 2)
	to = n.Peers(nil, "leader")
	if round == Logged-1 {
		last = slices.Clone(to)
	}
	return to, report, last, rank, nil
}

// AppendBinary appends the state.
func (v *Voter) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary sets the state.
func (v *Voter) UnmarshalBinary([]byte) error { return nil }

// Ledger compares the outcomes that servers report: each round has one, which follows from that of the round before.
type Ledger struct {
	Peers int
	seen  [Logged]float64 // the second elements
	known [Logged]bool
}

// Note takes a report.
func (l *Ledger) Note(report Vec) error {
	round, count, x := int(report.Data[0]), report.Data[1], report.Data[2]
	if round < 0 || round >= Logged || count != float64(round+1) {
		return fmt.Errorf("round %d has the outcome of round %v", round, count-1)
	}
	if l.known[round] && l.seen[round] != x {
		return fmt.Errorf("round %d has the outcomes %v and %v", round, l.seen[round], x)
	}
	l.known[round], l.seen[round] = true, x
	for i := 1; i < Logged; i++ {
		leader := l.seen[i] - 4*l.seen[i-1]
		if l.known[i] && l.known[i-1] && !(leader >= 0 && leader < float64(l.Peers)) {
			return fmt.Errorf("round %d has the outcome %v, which does not follow from %v: that one is lost", i, l.seen[i], l.seen[i-1])
		}
	}
	return nil
}

// AppendBinary appends the state.
func (l *Ledger) AppendBinary(b []byte) ([]byte, error) {
	for i := range l.seen {
		b = values.AppendScalar(values.AppendScalar(b, l.seen[i]), l.known[i])
	}
	return b, nil
}

// UnmarshalBinary sets the state.
func (l *Ledger) UnmarshalBinary(b []byte) error {
	r := values.NewFields(b)
	for i := range l.seen {
		values.ReadScalar(r, &l.seen[i])
		values.ReadScalar(r, &l.known[i])
	}
	return r.End()
}
