package outbox

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/internal/checkpoint"
	"github.com/bbgen/bbgen/runtime/internal/inbox"
)

// A program in two peers, of which one sends numbered values to the other over a channel that loses, repeats and
// reorders envelopes, and breaks. Both peers are killed at any time, and begin again with their last durable snapshot.
// The value of a number is drawn anew after a kill, so that one that has left the peer too early is recognized.

// sending is the state of the sender that its snapshots hold: the values that were not acknowledged.
type sending struct {
	next    int // the number of the next value
	waiting []numbered
}

type numbered struct {
	number int
	value  uint64
}

// sender is the first peer.
type sender struct {
	*rig
	tracker checkpoint.Tracker
	state   map[*Envelope]numbered
	next    int
	written sending // the last snapshot
	stored  sending // the last durable one
}

// receiver is the second peer: what it has accepted, according to its memory, its last snapshot and its last durable one.
type receiver struct {
	inbox                     inbox.Inbox
	taken                     map[uint64]bool // the numbers of this connection that the inbox has called new
	accepted, written, stored map[int]uint64
}

// packet is an envelope on its way.
type packet struct {
	seq uint64
	numbered
}

// pair is both peers, and what is between them.
type pair struct {
	*testing.T
	rand   *rand.Rand
	a      *sender
	b      *receiver
	way    []packet // from a to b
	back   []uint64 // acknowledgements
	ever   map[int]uint64
	now    int64
	faults bool
	calm   int // the mean number of steps from one kill, or broken connection, to the next
}

func newPair(t *testing.T, seed uint64) *pair {
	return &pair{T: t, calm: 5 << (seed % 7), rand: rand.New(rand.NewPCG(seed, 2)), ever: map[int]uint64{}, faults: true,
		a: &sender{rig: newRig(t), state: map[*Envelope]numbered{}},
		b: &receiver{taken: map[uint64]bool{}, accepted: map[int]uint64{}, written: map[int]uint64{}, stored: map[int]uint64{}}}
}

// produce begins the next value, which waits for a snapshot.
func (p *pair) produce() {
	p.a.put(numbered{p.a.next, p.rand.Uint64()})
	p.a.next++
}

func (a *sender) put(x numbered) {
	e := a.rig.put(uint64(x.number))
	e.Epoch = a.tracker.Epoch()
	a.state[e] = x
}

// send sends what may leave the peer, and requests a snapshot for the rest.
func (p *pair) send() {
	for e := p.a.Next(); e != nil; e = p.a.Next() {
		if !p.a.tracker.IsDurable(e.Epoch) {
			p.a.tracker.Await()
			return
		}
		if !p.a.Send(p.now) {
			p.Fatal("an envelope without bulk must wait")
		}
		x := packet{e.Seq, p.a.state[e]}
		copies := 1
		if p.faults {
			copies = [...]int{0, 1, 1, 1, 2}[p.rand.IntN(5)]
		}
		for range copies {
			p.way = append(p.way, x)
		}
	}
}

// receive delivers any packet that is on its way.
func (p *pair) receive() {
	if len(p.way) == 0 {
		return
	}
	i := 0
	if p.faults {
		i = p.rand.IntN(len(p.way))
	}
	x := p.way[i]
	p.way = slices.Delete(p.way, i, i+1)
	isNew, ok := p.b.inbox.Take(x.seq)
	if ok && isNew == p.b.taken[x.seq] {
		p.Fatalf("envelope %d is new: %v", x.seq, isNew)
	}
	if !ok || !isNew {
		return
	}
	p.b.taken[x.seq] = true
	if v, known := p.ever[x.number]; known && v != x.value {
		p.Fatalf("value %d was %x, and is %x", x.number, v, x.value)
	}
	p.ever[x.number] = x.value
	p.b.accepted[x.number] = x.value // the second time it is a duplicate
}

// acknowledge sends an acknowledgement if one is due.
func (p *pair) acknowledge() {
	if p.b.inbox.Owes() {
		p.back = append(p.back, p.b.inbox.Ack())
		p.b.inbox.Heard()
	}
}

// hear delivers any acknowledgement. What it acknowledges is in the receiver's durable snapshot.
func (p *pair) hear() {
	if len(p.back) == 0 {
		return
	}
	i := p.rand.IntN(len(p.back))
	upTo := p.back[i]
	p.back = slices.Delete(p.back, i, i+1)
	if p.faults && p.rand.IntN(4) == 0 {
		return
	}
	some := false
	for p.a.IsAcknowledged(upTo) {
		x := p.a.state[p.a.At(0)]
		if v, ok := p.b.stored[x.number]; !ok || v != x.value {
			p.Fatalf("value %d is acknowledged, and a kill of the receiver loses it", x.number)
		}
		delete(p.a.state, p.a.At(0))
		p.a.Acknowledge(p.now)
		some = true
	}
	if some {
		p.a.Progressed()
	}
}

// reconnect begins a new connection; nothing of the old one comes any more.
func (p *pair) reconnect() {
	p.a.Rewind()
	p.b.inbox, p.b.taken = inbox.Inbox{}, map[uint64]bool{}
	p.way, p.back = nil, nil
}

// snapshot takes or stores a snapshot of one of the peers.
func (p *pair) snapshot(sender, store bool) {
	a, b := p.a, p.b
	switch {
	case sender && store:
		if a.tracker.Persisted() {
			a.stored = a.written
		}
	case sender:
		if !a.tracker.MayAsk() {
			return
		}
		a.tracker.Asked()
		a.written = sending{next: a.next}
		for i := range a.Len() {
			a.written.waiting = append(a.written.waiting, a.state[a.At(i)])
		}
		a.tracker.Taken()
	case store:
		b.stored = b.written
		b.inbox.Persisted()
	default:
		b.written = maps.Clone(b.accepted)
		b.inbox.Snapshot()
	}
}

func (p *pair) killSender() {
	stored := p.a.stored
	p.a = &sender{rig: newRig(p.T), state: map[*Envelope]numbered{}, next: stored.next, written: stored, stored: stored}
	for _, x := range stored.waiting {
		p.a.put(x) // of epoch 0, which the snapshot holds
	}
	p.a.tracker = checkpoint.Restored()
	p.reconnect()
}

func (p *pair) killReceiver() {
	b := p.b
	b.accepted, b.written = maps.Clone(b.stored), maps.Clone(b.stored)
	p.reconnect()
}

func (p *pair) resend() {
	if d, ok := p.a.StartTimer(20e6); ok {
		p.now += d
		p.a.TimedOut(p.now, 20e6)
	}
}

// step does one thing that may happen.
func (p *pair) step() {
	p.now += 1e6
	if p.calm > 0 && p.rand.IntN(p.calm) == 0 {
		[]func(){p.reconnect, p.killSender, p.killReceiver}[p.rand.IntN(3)]()
		return
	}
	switch p.rand.IntN(21) {
	case 0, 1, 2:
		p.resend()
	case 3, 4, 5, 6:
		p.snapshot(p.rand.IntN(2) == 0, p.rand.IntN(2) == 0)
	case 7, 8:
		count := min(p.calm, 1) // none at the end
		if p.calm > 0 && p.rand.IntN(50) == 0 {
			count = inbox.WindowBits + p.rand.IntN(10) // more than the receiver accepts beyond a gap
		}
		for range count {
			p.produce()
		}
	case 9, 10, 11:
		p.send()
	case 12, 13:
		p.acknowledge()
	case 14, 15:
		p.hear()
	default:
		for range p.rand.IntN(len(p.way) + 1) {
			p.receive()
		}
	}
}

// settle does everything that is to be done: first the channel still loses envelopes and acknowledgements, then there are no
// faults.
func (p *pair) settle() {
	p.calm = 0
	for range 300 {
		p.step()
	}
	p.faults = false
	if p.rand.IntN(2) == 0 { // otherwise what was lost is sent again on the old connection
		p.reconnect()
	}
	for range 300 {
		for _, sender := range []bool{true, false} {
			p.snapshot(sender, false)
			p.snapshot(sender, true)
		}
		p.send()
		for len(p.way) > 0 {
			p.receive()
		}
		p.acknowledge()
		for len(p.back) > 0 {
			p.hear()
		}
		if p.a.Len() > 0 {
			p.resend()
		}
	}
}

// TestDelivery: whatever happens, each value reaches the receiver once with the same content, none that is acknowledged is
// lost by a kill, and nothing is left when the faults end.
func TestDelivery(t *testing.T) {
	for seed := range uint64(400) {
		p := newPair(t, seed)
		for range 400 {
			p.step()
		}
		p.settle()
		if p.a.Len() > 0 || p.a.Next() != nil {
			t.Errorf("seed %d: %d values were not acknowledged", seed, p.a.Len())
		}
		for i := range p.a.next {
			if v, ok := p.b.stored[i]; !ok || v != p.ever[i] {
				t.Errorf("seed %d: value %d of %d did not come, or another one", seed, i, p.a.next)
			}
		}
		if len(p.b.stored) != p.a.next {
			t.Errorf("seed %d: %d values of %d came", seed, len(p.b.stored), p.a.next)
		}
		p.a.wantKept(0, 0, 0)
	}
}
