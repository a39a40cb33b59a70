package outbox

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/wire"
)

// modelEnvelope is what a box must know of an envelope: the connections on which it was sent, and its number on each.
type modelEnvelope struct {
	real   *Envelope
	exec   uint64
	begins bool
	size   int64
	sentOn map[int]uint64 // number by connection
}

// model is a box as a list. A connection is a number; the last one on which something was sent is the previous one.
type model struct {
	list       []*modelEnvelope
	sent       int // of the present connection
	connection int
	used       []int // the connections on which something was sent
	released   uint64
}

// number returns the number of the i-th envelope on the present connection: those before it were acknowledged.
func (m *model) number(acked, i int) uint64 { return uint64(acked + i + 1) }

// before returns the number of an envelope on the connection before the present one, as far as something was sent there.
func (m *model) before(e *modelEnvelope) uint64 {
	for i := len(m.used) - 1; i >= 0; i-- {
		if c := m.used[i]; c < m.connection {
			return e.sentOn[c]
		}
	}
	return 0
}

// boxes is a box and its model under random operations.
type boxes struct {
	*rig
	model
	rand  *rand.Rand
	now   int64
	acked int // envelopes of the present connection that are not in the list any more
	steps []string
}

func (b *boxes) log(format string, args ...any) {
	b.steps = append(b.steps, fmt.Sprintf(format, args...))
}

func (b *boxes) putOne() {
	exec := 1 + b.rand.Uint64N(4)
	first := !slices.ContainsFunc(b.list, func(e *modelEnvelope) bool { return e.exec == exec })
	size := b.rand.IntN(100)
	e := b.Envelope()
	e.Exec.Number, e.Begins = exec, first
	p := b.Chunk(&Value{Data: make([]byte, size)})
	e.Add(0, p, nil)
	b.Store.Release(p)
	b.Put(e)
	b.list = append(b.list, &modelEnvelope{e, exec, first, int64(size), map[int]uint64{}})
	b.log("put of %d, begins %v", exec, first)
}

func (b *boxes) sendOne() {
	e := b.Next()
	if b.sent == len(b.list) {
		if e != nil {
			b.Errorf("%d is next, and all were sent", e.Seq)
		}
		return
	}
	want := b.list[b.sent]
	if e != want.real {
		b.Errorf("the next one is %v, want %v", e, want.real)
	}
	if !b.Send(b.now) {
		b.Errorf("an envelope without bulk must wait")
	}
	want.sentOn[b.connection] = e.Seq
	if len(b.used) == 0 || b.used[len(b.used)-1] != b.connection {
		b.used = append(b.used, b.connection)
	}
	b.sent++
	b.log("sent %d", e.Seq)
}

// acknowledge acknowledges up to a number, which a peer may invent.
func (b *boxes) acknowledge() {
	upTo := uint64(b.rand.IntN(b.acked + len(b.list) + 3))
	if b.rand.IntN(20) == 0 {
		upTo = 1<<64 - 1
	}
	want := 0
	for want < b.sent && b.number(b.acked, want) <= upTo {
		want++
	}
	got := 0
	for b.IsAcknowledged(upTo) {
		e := b.list[got]
		times := len(e.sentOn)
		if _, ok := b.Acknowledge(b.now); ok && times > 1 {
			b.Errorf("there is a round-trip time of an envelope that was sent %d times", times)
		}
		got++
	}
	if got != want {
		b.Errorf("an acknowledgement of %d removes %d envelopes, want %d", upTo, got, want)
	}
	b.list, b.sent, b.acked = b.list[got:], b.sent-got, b.acked+got
	if got > 0 && b.Progressed() != (b.sent < len(b.list)) {
		b.Error("whether others wait is wrong")
	}
	b.log("acknowledged up to %d", upTo)
}

func (b *boxes) reconnect() {
	b.Rewind()
	b.newConnection()
	b.log("new connection")
}

func (b *boxes) newConnection() {
	b.connection++
	b.model.sent, b.acked, b.model.released = 0, 0, 0
}

func (b *boxes) withdrawOne() {
	exec := 1 + b.rand.Uint64N(4)
	never := func(e *modelEnvelope) bool { return e.exec == exec && len(e.sentOn) == 0 }
	want := 0
	if slices.ContainsFunc(b.list, func(e *modelEnvelope) bool { return never(e) && e.begins }) {
		kept := slices.DeleteFunc(slices.Clone(b.list), never)
		want = len(b.list) - len(kept)
		b.list = kept
	}
	if got := b.Withdraw(wire.ExecID{Number: exec}); got != want {
		b.Errorf("%d envelopes of %d are withdrawn, want %d", got, exec, want)
	}
	b.log("withdraw %d", exec)
}

func (b *boxes) deleteSome() {
	exec := 1 + b.rand.Uint64N(4)
	kept := slices.DeleteFunc(slices.Clone(b.list), func(e *modelEnvelope) bool { return e.exec == exec })
	if got := b.DeleteFunc(func(e *Envelope) bool { return e.Exec.Number == exec }); got != len(b.list)-len(kept) {
		b.Errorf("%d are deleted, want %d", got, len(b.list)-len(kept))
	}
	b.list = kept
	b.newConnection()
	b.log("delete %d", exec)
}

// timeOut lets the timer run until everything that was sent is to be sent again.
func (b *boxes) timeOut() {
	d, ok := b.StartTimer(20e6)
	if !ok {
		return
	}
	b.now += d
	again, wait := b.TimedOut(b.now, 20e6)
	for wait > 0 {
		b.now += wait
		again, wait = b.TimedOut(b.now, 20e6)
	}
	want := b.sent
	if b.model.isReleased(b.acked) {
		want = 0
	}
	if again != want {
		b.Errorf("%d envelopes are sent again, want %d", again, want)
	}
	if again > 0 {
		for _, e := range b.list[:b.sent] {
			e.sentOn[-b.connection-1] = 0 // a second time
		}
		b.sent = 0
	}
	b.log("timed out, %d again", again)
}

func (m *model) isReleased(acked int) bool {
	return len(m.list) == 0 || m.sent == len(m.list) && uint64(acked+len(m.list)) <= m.released
}

// check compares the box with its model.
func (b *boxes) check() {
	var bytes int64
	if b.Box.Len() != len(b.list) || b.Last() != uint64(b.acked+len(b.list)) {
		b.Fatalf("%d envelopes, the last is %d, want %d and %d", b.Box.Len(), b.Last(), len(b.list), b.acked+len(b.list))
	}
	for i, e := range b.list {
		bytes += e.size
		if got := b.At(i); got != e.real || got.Seq != b.number(b.acked, i) || got.Before != b.before(e) {
			b.Errorf("envelope %d has the number %d, before %d, want %d and %d", i, got.Seq, got.Before, b.number(b.acked, i), b.before(e))
		}
	}
	b.wantKept(int64(len(b.list)), bytes, bytes)
	if got := b.uses.Used(ledger.Payloads); got != bytes {
		b.Errorf("%d bytes are counted for the peer, want %d", got, bytes)
	}
	for exec := uint64(1); exec <= 4; exec++ {
		want := slices.ContainsFunc(b.list, func(e *modelEnvelope) bool { return e.exec == exec })
		if got := b.Owes(&wire.ExecID{Number: exec}); got != want {
			b.Errorf("there is an envelope of %d: %v, want %v", exec, got, want)
		}
	}
	if got := b.IsReleased(); got != b.model.isReleased(b.acked) {
		b.Errorf("nothing waits for the present incarnation: %v", got)
	}
}

// TestBoxModel compares a box with a list of envelopes under random operations, in any order in which a host may call them.
func TestBoxModel(t *testing.T) {
	for seed := range uint64(300) {
		b := &boxes{rig: newRig(t), rand: rand.New(rand.NewPCG(seed, 1))}
		for range 200 {
			b.now += 1 + b.rand.Int64N(1e6)
			switch b.rand.IntN(20) {
			case 0:
				b.reconnect()
			case 1:
				b.withdrawOne()
			case 2:
				b.timeOut()
			case 3:
				if b.rand.IntN(4) == 0 {
					b.deleteSome()
				}
			case 4:
				upTo := b.rand.Uint64N(uint64(b.acked+len(b.list)) + 2)
				b.MarkReleased(upTo)
				b.model.released = max(b.model.released, upTo)
				b.log("released up to %d", upTo)
			case 5, 6, 7:
				b.acknowledge()
			case 8, 9, 10, 11, 12:
				b.sendOne()
			default:
				if len(b.list) < 30 {
					b.putOne()
				}
			}
			if b.check(); t.Failed() {
				t.Fatalf("seed %d: %q", seed, b.steps)
			}
		}
	}
}
