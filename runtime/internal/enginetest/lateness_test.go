package enginetest

import (
	"testing"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// federation is a server and four clients in virtual time. Three clients answer 5 ms
// after they are asked, and the fourth when its policy says.
type federation struct {
	t        *testing.T
	n        *runtime.Node
	now      int64
	seq      map[wire.PeerID]uint64
	asked    wire.ExecID // the present round
	began    int64       // when it began
	ended    wire.ExecID // the previous round
	answered bool        // the fourth client, in this round
	rounds   int         // that have ended
	accepted int         // rounds with the fourth client
	waited   int         // rounds that lasted longer than their quorum
	takes    int64       // until the three clients have answered
}

const (
	answerTime = 5e6
	insider    = 5
)

func newFederation(t *testing.T, rounds int) *federation {
	c := runtime.Config{Self: id(1), Incarnation: 1}
	for i := byte(2); i <= insider; i++ {
		c.Peers = append(c.Peers, runtime.PeerConfig{ID: id(i), Class: "client", Rank: int(i)})
	}
	n, err := runtime.New(c, handmade.Server(rounds, 2, 0))
	if err != nil {
		t.Fatal(err)
	}
	f := &federation{t: t, n: n, seq: map[wire.PeerID]uint64{}, takes: answerTime}
	f.poll()
	h := n.Hello()
	h.Classes = []string{"client"}
	for _, p := range c.Peers {
		if err := n.Connected(0, p.ID, &h); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := n.Invoke(0, "server", tensor.Of([]float64{1, 2}, 2)); err != nil {
		t.Fatal(err)
	}
	f.poll()
	return f
}

func (f *federation) poll() {
	for {
		o, ok := f.n.Poll(f.now)
		if !ok {
			return
		}
		switch {
		case o.Kind == runtime.Send && o.Envelope.Seq > 0 && o.Envelope.Exec != f.asked:
			if f.answered {
				f.accepted++
			}
			f.ended, f.asked, f.began, f.answered = f.asked, o.Envelope.Exec, f.now, false
		case o.Kind == runtime.Tell && o.Event.Kind == runtime.Finished:
			f.rounds++
		}
	}
}

// answer delivers the answer of a client for a round.
func (f *federation) answer(from byte, x wire.ExecID) {
	f.t.Helper()
	update := handmade.Server(1, 1, 1).Edges[1]
	p := id(from)
	f.seq[p]++
	e := wire.Envelope{Exec: x, Seq: f.seq[p], Ack: 0, Fills: []wire.SlotFill{{
		Suffix: wire.AppendSite(nil, update.ID), Type: update.Type, Payload: make([]byte, 16), Dims: []uint64{2}}}}
	if err := f.n.Deliver(f.now, p, wire.AppendEnvelope(nil, &e)); err != nil {
		f.t.Fatal(err)
	}
	f.answered = f.answered || from == insider && x == f.asked
}

// run plays rounds until their number or the time limit is reached.
func (f *federation) run(rounds int, until int64, late func(f *federation) (at int64, x wire.ExecID)) {
	for f.rounds < rounds && f.now < until {
		round := f.asked
		f.now = max(f.now, f.began+f.takes)
		for i := byte(2); i < insider; i++ {
			f.answer(i, round)
		}
		f.poll()
		if f.asked == round {
			f.waited++
		}
		for f.asked == round && f.rounds < rounds && f.now < until {
			wake, _ := f.n.WakeAt()
			if at, x := late(f); x != (wire.ExecID{}) && at <= wake {
				f.now = max(f.now, at)
				f.answer(insider, x)
			} else {
				f.now = wake
			}
			f.poll()
		}
		if _, x := late(f); x == f.ended && x != (wire.ExecID{}) { // just after the end
			f.answer(insider, x)
			f.poll()
		}
	}
}

// One late client of four costs the others at most half of the time that their own answers take, and its budget
// once.
func TestLateInsider(t *testing.T) {
	const rounds = 400
	for name, late := range map[string]func(f *federation) (int64, wire.ExecID){
		"silent":         func(*federation) (int64, wire.ExecID) { return 0, wire.ExecID{} },
		"after the end":  func(f *federation) (int64, wire.ExecID) { return 1 << 62, f.ended },
		"before the end": justInTime,
	} {
		f := newFederation(t, rounds+1)
		f.run(rounds, 3600e9, late)
		if usual := int64(rounds * answerTime); f.rounds < rounds || f.now > usual/2*3+100e6 {
			t.Errorf("%s: %d rounds in %d ms, want %d in at most half as much again as %d ms", name, f.rounds, f.now/1e6, rounds, usual/1e6)
		}
	}
}

// If rounds are short, few of them wait for an insider: a timer that a busy machine delays by a millisecond
// would be as long as many rounds.
func TestInsiderOfShortRounds(t *testing.T) {
	const rounds = 1500
	for name, late := range map[string]func(f *federation) (int64, wire.ExecID){
		"silent":         func(*federation) (int64, wire.ExecID) { return 0, wire.ExecID{} },
		"before the end": justInTime,
	} {
		f := newFederation(t, rounds+1)
		f.takes = 100e3
		f.run(rounds, 3600e9, late)
		if f.rounds < rounds || f.waited > rounds/10 {
			t.Errorf("%s: %d of %d rounds have waited, want a tenth at most", name, f.waited, f.rounds)
		}
	}
}

// justInTime answers just before a gather would continue without it.
func justInTime(f *federation) (int64, wire.ExecID) {
	if f.answered {
		return 0, wire.ExecID{}
	}
	wake, _ := f.n.WakeAt()
	return wake - 1, f.asked
}

// A client that is somewhat slower than the quorum takes part in all rounds.
func TestSlowClient(t *testing.T) {
	const rounds = 400
	f := newFederation(t, rounds+1)
	f.run(rounds, 3600e9, func(f *federation) (int64, wire.ExecID) {
		if f.answered {
			return 0, wire.ExecID{}
		}
		return f.began + 1.5*answerTime, f.asked
	})
	if f.rounds != rounds || f.accepted != rounds {
		t.Errorf("the slow client took part in %d of %d rounds, want all of %d", f.accepted, f.rounds, rounds)
	}
}
