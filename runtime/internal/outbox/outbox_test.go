package outbox

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/internal/inbox"
	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// rig is a store and a box of it.
type rig struct {
	*testing.T
	Store
	Box
	total ledger.Ledger
	uses  ledger.Share
}

func newRig(t *testing.T) *rig {
	r := &rig{T: t}
	l := limits.Default()
	l.OutboundBytes = 64 << 20
	r.total.SetLimits(&l)
	r.Store = NewStore(&values.Keeper{}, &r.total, 1<<20)
	r.Box = NewBox(&r.Store, &r.uses)
	r.Accept(1<<20, 1<<18)
	return r
}

// put puts an envelope of an execution with payloads of some sizes into the box.
func (r *rig) put(number uint64, sizes ...int) *Envelope {
	e := r.Envelope()
	e.Exec.Number, e.Begins = number, true
	for _, size := range sizes {
		p := r.Payload(&Value{Data: make([]byte, size)})
		e.Add(0, p, nil)
		r.Release(p)
	}
	r.Put(e)
	return e
}

// send sends all envelopes that may be sent, and returns their numbers.
func (r *rig) send(now int64) (sent []uint64) {
	for e := r.Next(); e != nil && r.Send(now); e = r.Next() {
		sent = append(sent, e.Seq)
	}
	return sent
}

func (r *rig) wantSent(now int64, want ...uint64) {
	r.Helper()
	if got := r.send(now); !slices.Equal(got, want) {
		r.Errorf("%d are sent, want %d", got, want)
	}
}

// wantKept checks that so much is counted.
func (r *rig) wantKept(envelopes, total, share int64) {
	r.Helper()
	if e, s := r.total.Used(ledger.Envelopes), r.uses.Used(ledger.Envelopes); e != envelopes || s != envelopes || int(e) != r.Len() {
		r.Errorf("%d envelopes are counted, %d of the peer, and there are %d, want %d", e, s, r.Len(), envelopes)
	}
	if b, s := r.total.Used(ledger.Payloads), r.uses.Used(ledger.Payloads); b != total || s != share {
		r.Errorf("%d bytes are counted, %d of the peer, want %d and %d", b, s, total, share)
	}
}

// Envelopes are kept until they are acknowledged. What was not sent cannot be acknowledged, and the time of what
// was sent twice is unknown.
func TestAcknowledge(t *testing.T) {
	r := newRig(t)
	for i := range uint64(3) {
		r.put(i, 10)
	}
	if r.IsAcknowledged(3) {
		t.Error("what was not sent is acknowledged")
	}
	r.wantSent(100, 1, 2, 3)
	r.wantKept(3, 30, 30)
	if r.IsAcknowledged(0) || !r.IsAcknowledged(1) {
		t.Error("the first is acknowledged before it is, or not at all")
	}
	if s, ok := r.Acknowledge(150); s != (Sample{50, 10}) || !ok {
		t.Errorf("got %+v, %v, want a round trip of 50 and 10 bytes", s, ok)
	}
	r.wantKept(2, 20, 20)
	if r.IsAcknowledged(1) || r.Progressed() {
		t.Error("the next is acknowledged, too, or is to be sent")
	}
	r.Rewind()
	r.put(3)
	if r.Last() != 3 {
		t.Errorf("the last number on the new connection is %d, want 3", r.Last())
	}
	r.wantSent(200, 1, 2, 3)
	for i, want := range []bool{false, false, true} {
		if s, ok := r.Acknowledge(250); ok != want || ok && s != (Sample{50, 20}) {
			t.Errorf("envelope %d: its sample is %+v, known: %v", i+1, s, ok)
		}
	}
	r.wantKept(0, 0, 0)
}

// A payload for many counts once in total, and is released with the last envelope. The memory of a small one is
// used again, unless it was sent as bulk: a host may still read it.
func TestPayloads(t *testing.T) {
	r := newRig(t)
	var other ledger.Share
	box := NewBox(&r.Store, &other)
	p := r.Payload(&Value{Data: []byte{1, 2, 3}})
	for _, b := range []*Box{&r.Box, &box} {
		e := r.Envelope()
		e.Add(7, p, []uint64{1, 2, 3, 4, 5})
		if f := e.Fills[0]; f.Edge != 7 || !slices.Equal(f.Dims(), []uint64{1, 2, 3, 4, 5}) || f.Bulk().ID != 0 {
			t.Errorf("%+v", f)
		}
		b.Put(e)
	}
	r.Release(p)
	if r.total.Used(ledger.Payloads) != 3 || r.uses.Used(ledger.Payloads) != 3 || other.Used(ledger.Payloads) != 3 {
		t.Error("a payload of 3 bytes for two peers does not count once in total, and for each")
	}
	for _, b := range []*Box{&r.Box, &box} {
		if string(p.Data()) != "\x01\x02\x03" {
			t.Error("the payload is gone")
		}
		b.Accept(1000, 1000)
		b.Send(0)
		b.Acknowledge(0)
	}
	if r.total.Used(ledger.Payloads) != 0 {
		t.Error("a payload that was released is counted")
	}
	again := r.Payload(&Value{Data: []byte{4}})
	if again != p {
		t.Error("the memory of a small payload is not used again")
	}
	r.name(again)
	if r.Release(again); r.Payload(&Value{Data: []byte{5}}) == again {
		t.Error("the memory of one that was sent as bulk is used again")
	}
}

// A final value is not copied, and its memory is kept.
func TestFinal(t *testing.T) {
	r := newRig(t)
	m := tensor.NewMemory(tensor.Large)
	final := r.Payload(&Value{Data: m.Bytes(), Memory: m, Final: true})
	copied := r.Payload(&Value{Data: m.Bytes(), Memory: m})
	if &final.Data()[0] != &m.Bytes()[0] || &copied.Data()[0] == &m.Bytes()[0] {
		t.Error("a value that is final is copied, or one that changes is not")
	}
	if !m.IsShared() {
		t.Error("the memory is not kept")
	}
	r.Release(final)
	r.Release(copied)
	if m.IsShared() || r.total.Used(ledger.Payloads) != 0 {
		t.Error("the memory is kept after the last reference")
	}
}

// All of a value counts as long as a part of it is a payload.
func TestPins(t *testing.T) {
	r := newRig(t)
	m, more := tensor.NewMemory(48<<20), tensor.NewMemory(32<<20)
	parts := make([]*Payload, 2)
	for i := range parts {
		if !r.Pin(m) {
			t.Fatal("a part of a value is refused")
		}
		parts[i] = r.Chunk(&Value{Data: m.Bytes()[:tensor.Large], Memory: m, Final: true, Pinned: true})
	}
	used := int64(len(m.Bytes()))
	if r.Pin(more) || r.total.Used(ledger.Pinned) != used {
		t.Errorf("%d bytes count, want %d: of another value there is no room", r.total.Used(ledger.Pinned), used)
	}
	if r.Release(parts[0]); r.total.Used(ledger.Pinned) != used {
		t.Error("a value of which a part is left does not count")
	}
	if r.Release(parts[1]); r.total.Used(ledger.Pinned) != 0 || !r.Pin(more) {
		t.Error("a value of which nothing is left counts")
	}
}

// Payloads for which an envelope has no room are bulk, even if each alone would fit.
func TestRoom(t *testing.T) {
	r := newRig(t)
	r.Accept(envelopeRoom+10*fillRoom+250, 1000)
	e := r.put(1, slices.Repeat([]int{100}, 10)...)
	r.wantSent(0, 1)
	inline := 0
	for i := range e.Fills {
		if e.Fills[i].Bulk().ID == 0 {
			inline++
		}
	}
	if inline != 2 || !e.hasBulk {
		t.Errorf("%d payloads are in the envelope, want 2", inline)
	}
	name := e.Fills[9].Bulk()
	if b := r.Bulk(name.ID); b == nil || b.Size() != 100 || r.Bulk(name.ID+1) != nil {
		t.Errorf("the payload named %d is %v", name.ID, b)
	}
	r.Rewind()
	if r.Bulk(name.ID) != nil {
		t.Error("an envelope that was not sent on this connection has bulk to be fetched")
	}
	r.Accept(1<<20, 1<<18)
	if r.wantSent(0, 1); e.Fills[9].Bulk() != name {
		t.Errorf("a payload that was named is %v, want %v as before", e.Fills[9].Bulk(), name)
	}
}

// An envelope that is far behind one with bulk waits until that one is acknowledged, and so does the third with
// much bulk.
func TestBulkInFlight(t *testing.T) {
	r := newRig(t)
	r.put(0, 1<<18+1)
	for i := range uint64(inbox.WindowBits) {
		r.put(i+1, 1)
	}
	if sent := r.send(0); len(sent) != inbox.WindowBits {
		t.Errorf("%d are sent, want %d", len(sent), inbox.WindowBits)
	}
	r.Acknowledge(0)
	if !r.Progressed() {
		t.Error("nothing waits to be sent")
	}
	r.wantSent(0, inbox.WindowBits+1)

	r = newRig(t)
	for range 4 {
		r.put(1, 40<<20)
	}
	r.wantSent(0, 1, 2)
	r.Acknowledge(0)
	r.Progressed()
	r.wantSent(0, 3)
}

// The envelopes of an execution are withdrawn if none of them was sent.
func TestWithdraw(t *testing.T) {
	r := newRig(t)
	r.put(1, 10)
	r.wantSent(0, 1)
	r.put(1, 10).Begins = false
	r.put(2, 10)
	r.put(3, 10)
	r.put(2, 10).Begins = false
	if n := r.Withdraw(wire.ExecID{Number: 1}); n != 0 {
		t.Errorf("%d are withdrawn of an execution of which the peer knows", n)
	}
	if n := r.Withdraw(wire.ExecID{Number: 2}); n != 2 || r.Owes(&wire.ExecID{Number: 2}) || !r.Owes(&wire.ExecID{Number: 3}) {
		t.Errorf("%d are withdrawn, want 2", n)
	}
	r.wantKept(3, 30, 30)
	r.wantSent(0, 2, 3)
	if r.Last() != 3 {
		t.Errorf("the last number is %d, want 3", r.Last())
	}
	if n := r.DeleteFunc(func(e *Envelope) bool { return e.Exec.Number == 1 }); n != 2 {
		t.Errorf("%d are removed, want 2", n)
	}
	r.wantKept(1, 10, 10)
	r.wantSent(0, 1)
}

// What was sent before others were removed counts as sent: it has its number on the previous connection, is not withdrawn,
// and gives no round-trip time.
func TestSentBeforeOthersAreRemoved(t *testing.T) {
	r := newRig(t)
	r.put(1)
	r.put(2)
	r.wantSent(0, 1, 2)
	r.put(3)
	if n := r.DeleteFunc(func(e *Envelope) bool { return e.Exec.Number == 1 }); n != 1 {
		t.Errorf("%d are removed, want 1", n)
	}
	r.Rewind()
	if n := r.Withdraw(wire.ExecID{Number: 2}); n != 0 {
		t.Errorf("%d are withdrawn of an execution of which the peer knows", n)
	}
	if a, b := r.At(0), r.At(1); a.Seq != 1 || a.Before != 2 || b.Seq != 2 || b.Before != 0 {
		t.Errorf("they were %d and %d and are %d and %d, want 2, 0, 1, 2", a.Before, b.Before, a.Seq, b.Seq)
	}
	r.wantSent(5, 1, 2)
	if s, ok := r.Acknowledge(9); ok {
		t.Errorf("the round trip of what was sent twice is %+v", s)
	}
	r.Rewind()
	if a := r.At(0); a.Seq != 1 || a.Before != 2 {
		t.Errorf("it was %d and is %d, want 2 and 1", a.Before, a.Seq)
	}
}

// Envelopes are sent again when no acknowledgement comes, after twice the time each time.
func TestTimeout(t *testing.T) {
	r := newRig(t)
	start := func(first, want int64) {
		t.Helper()
		if d, ok := r.StartTimer(first); d != want || ok != (want > 0) {
			t.Errorf("the timer runs for %d, %v, want %d", d, ok, want)
		}
	}
	timedOut := func(now int64, again int, wait int64) {
		t.Helper()
		if n, d := r.TimedOut(now, 20e6); n != again || d != wait {
			t.Errorf("at %d, %d are to be sent again and the timer runs for %d, want %d and %d", now, n, d, again, wait)
		}
	}
	start(20e6, 0) // nothing was sent
	r.put(1)
	r.put(2)
	r.wantSent(0, 1, 2)
	start(20e6, 20e6)
	start(20e6, 0) // it runs
	timedOut(20e6, 2, 0)
	r.wantSent(21e6, 1, 2)
	start(20e6, 40e6)
	timedOut(60e6, 0, 1e6) // it was sent 39 ms ago
	timedOut(61e6, 2, 0)
	timedOut(99e9, 0, 0) // nothing was sent
	r.wantSent(99e9, 1, 2)
	r.Acknowledge(99e9)
	r.Progressed()
	start(1, minTimeout) // a shorter one would only repeat what is on its way
	r.StopTimer()
	start(1, minTimeout)
	r.Acknowledge(99e9)
	r.Progressed()
	r.put(3)
	r.wantSent(99e9+5e6, 3)
	timedOut(99e9+10e6, 0, 15e6) // it was sent 5 ms ago, and the timer was set for one that was acknowledged
	for now := int64(200e9); r.timeout < maxTimeout; now += maxTimeout {
		timedOut(now, 1, 0)
		r.wantSent(now, 3)
		start(1, r.timeout)
	}
	if r.timeout != maxTimeout {
		t.Errorf("the longest time is %d, want %d", r.timeout, int64(maxTimeout))
	}
}

// Envelopes that are left to the next incarnation of the peer are sent again on its connection, not on the present one.
func TestReleased(t *testing.T) {
	r := newRig(t)
	r.put(1)
	r.put(2)
	r.wantSent(0, 1, 2)
	if r.MarkReleased(1); r.IsReleased() {
		t.Error("the second one is not left")
	}
	if r.MarkReleased(2); !r.IsReleased() {
		t.Error("both are left")
	}
	r.StartTimer(1)
	if again, d := r.TimedOut(99e9, 1); again != 0 || d != 0 {
		t.Errorf("%d are to be sent again in %d ns", again, d)
	}
	if r.put(3); r.IsReleased() {
		t.Error("the third one is not sent yet")
	}
	if r.Rewind(); r.IsReleased() {
		t.Error("the next incarnation has said nothing")
	}
	r.wantSent(99e9, 1, 2, 3)
}

// A payload of a snapshot counts, and is sent like any other.
func TestRestored(t *testing.T) {
	r := newRig(t)
	p := r.Restored(wire.Bytes("abc"))
	e := &Envelope{}
	e.Add(0, p, nil)
	r.Put(e)
	r.Release(p)
	r.wantKept(1, 3, 3)
	r.wantSent(0, 1)
	if string(p.Data()) != "abc" {
		t.Errorf("the payload is %q", p.Data())
	}
	unused := r.Restored(wire.Bytes("unused"))
	r.Release(unused)
	r.wantKept(1, 3, 3)
}
