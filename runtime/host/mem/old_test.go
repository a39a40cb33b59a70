package mem_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// The peers of a mixed program: three ask the oracle, one of them as bytesandbrains 0.3 would.
const (
	oracle = iota
	firstAsker
	oldAsker = 3
	mixed    = 4
)

// adapter makes a peer look like one of bytesandbrains 0.3 to the others: its envelopes have no executions and no
// numbers, and it acknowledges nothing.
type adapter struct {
	w        *mem.Network
	requests map[wire.ExecID]uint64
	execs    map[uint64]wire.ExecID
	asked    map[wire.ExecID]bool // requests that have left the peer
	seq      map[uint64]uint64    // of the envelopes to the peer, by channel
	channel  uint64
	written  int
}

// forge replaces an envelope between the old peer and the oracle.
func (a *adapter) forge(from, to int, e *wire.Envelope) bool {
	switch {
	case from == oldAsker:
		a.ask(to, e)
	case to == oldAsker:
		a.answer(from, e)
	default:
		return false
	}
	return true
}

func (a *adapter) ask(to int, e *wire.Envelope) {
	if len(e.Fills) == 0 {
		return
	}
	id := a.requests[e.Exec]
	if id == 0 {
		id = uint64(len(a.requests) + 1)
		a.requests[e.Exec], a.execs[id] = id, e.Exec
	}
	a.asked[e.Exec] = true
	a.written++
	a.w.Inject(oldAsker, to, handmade.OldEnvelope(mem.PeerID(oldAsker), mem.PeerID(to), id, e.Fills))
	a.w.Inject(to, oldAsker, wire.AppendEnvelope(nil, &wire.Envelope{Ack: e.Seq}))
}

// answer passes an answer on, in the form that the peer's node reads.
func (a *adapter) answer(from int, e *wire.Envelope) {
	if len(e.Fills) == 0 || e.Request.Kind != wire.Response {
		return
	}
	a.seq[a.channel]++
	in := wire.Envelope{Exec: a.execs[e.Request.ID], Seq: a.seq[a.channel], Fills: e.Fills}
	a.w.Inject(from, oldAsker, wire.AppendEnvelope(nil, &in))
}

// TestOldAndNew has peers of two kinds ask an oracle, under faults: new ones, whose questions are all answered, and one
// that writes envelopes as bytesandbrains 0.3 does. What faults take from that one is lost, but each of its questions has an
// effect once at most, each answer is the right one, and without faults all are answered.
func TestOldAndNew(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 60
	}
	lost := 0
	for seed := range uint64(n) {
		missing, err := playMixed(seed)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		lost += missing
	}
	if lost == 0 {
		t.Error("no fault took a question or an answer: the test shows nothing")
	}
}

// playMixed plays a seed, and returns how many questions of the old peer were not answered.
func playMixed(seed uint64) (missing int, err error) {
	r := rand.New(rand.NewPCG(seed, 30))
	var faults []mem.Fault
	c := mem.Config{Seed: seed, Delay: 1 + r.Int64N(5e6), Persist: r.Int64N(10e6)}
	if seed > 0 {
		faults = mem.Faults(r, 6, mixed, faultEnd)
		for i := range faults { // a question that the host of a new peer gives shortly before a crash is lost with it
			if f := &faults[i]; f.Kind != mem.Cut && f.Kind != mem.Break && f.Node != oracle {
				f.Node = oldAsker
			}
		}
		c.Jitter, c.Loss, c.Duplicate, c.Corrupt, c.Heal, c.Faults = r.Int64N(20e6), r.Float64()*0.2, r.Float64()*0.2, r.Float64()*0.02, faultEnd, faults
	}
	w := mem.New(c)
	a := &adapter{w: w, requests: map[wire.ExecID]uint64{}, execs: map[uint64]wire.ExecID{}, asked: map[wire.ExecID]bool{}, seq: map[uint64]uint64{}}
	w.Forge = a.forge
	w.Sent = func(from, to int, channel uint64, _ *wire.Envelope) {
		if from == oldAsker || to == oldAsker {
			a.channel = channel
		}
	}
	answered, heard := map[string]bool{}, map[string]int{}
	w.Told = func(i int, e runtime.Event) {
		switch {
		case err != nil:
		case e.Kind == runtime.Emitted && i != oracle:
			answered[fmt.Sprint(i, e.Value.(*tensor.Tensor).Data)] = true
		case e.Kind == runtime.Emitted:
			heard[fmt.Sprint(e.Value.(*tensor.Tensor).Data)]++
		case e.Kind == runtime.Failed || e.Kind == runtime.Refused && i == oracle:
			err = fmt.Errorf("node %d: %v: %v", i, e.Kind, e.Err)
		}
	}
	for i := range mixed {
		rc := runtime.Config{Rank: max(i-1, 0), Durable: true, Sum256: sha256.Sum256}
		part := handmade.Asker
		if i == oracle {
			part = handmade.Oracle
		}
		w.Add(rc, part)
	}
	var all []string
	ask := func(i int, x float64) {
		if w.Invoke(i, "asker", vector([]float64{x, float64(i)})) == nil {
			all = append(all, fmt.Sprint(i, []float64{x + 1, float64(i) + 1}))
		}
	}
	for k := range 12 { // half of them during the faults
		for i := firstAsker; i < mixed; i++ {
			w.After(int64(k)*faultEnd/6+int64(i)*1e6+1, func() { ask(i, float64(k)) })
		}
	}
	left := func(i int) (n int) {
		for _, q := range all {
			if q[0] == byte('0'+i) && !answered[q] {
				n++
			}
		}
		return n
	}
	done, e := w.Run(deadline, func() bool {
		return err != nil || w.Now() > 3*faultEnd && left(firstAsker)+left(firstAsker+1) == 0 && w.Node(oracle) != nil && w.Node(oracle).Stats().Outbound == 0
	})
	switch missing = left(oldAsker); {
	case e != nil || err != nil:
		return 0, fmt.Errorf("%w %w", e, err)
	case !done:
		return 0, fmt.Errorf("questions of new peers are not answered: %d and %d, and the oracle keeps %d messages", left(firstAsker), left(firstAsker+1), w.Node(oracle).Stats().Outbound)
	case seed == 0 && missing > 0:
		return 0, fmt.Errorf("%d questions of the old peer are not answered, without a fault", missing)
	}
	crashes := slices.ContainsFunc(faults, func(f mem.Fault) bool { return f.Kind != mem.Cut && f.Kind != mem.Break }) // a peer that starts again asks again
	for x, times := range heard {
		if times > 1 && !crashes {
			return 0, fmt.Errorf("the oracle has heard the question %s %d times", x, times)
		}
	}
	for got := range answered {
		if !slices.Contains(all, got) {
			return 0, fmt.Errorf("the answer %s is to no question", got)
		}
	}
	return missing, nil
}
