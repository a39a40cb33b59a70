package inbox

import "testing"

// A message too far ahead of a gap is not accepted: it must be sent again.
func TestWindow(t *testing.T) {
	var b Inbox
	for _, tt := range []struct {
		seq       uint64
		isNew, ok bool
	}{{WindowBits + 1, false, false}, {WindowBits, true, true}, {WindowBits, false, true}, {1, true, true}, {1, false, true}, {WindowBits + 1, true, true}, {1 << 60, false, false}} {
		if isNew, ok := b.Take(tt.seq); isNew != tt.isNew || ok != tt.ok {
			t.Errorf("%d: got %v, %v", tt.seq, isNew, ok)
		}
	}
	for seq := uint64(2); seq < WindowBits; seq++ {
		b.Take(seq)
	}
	if b.next != WindowBits+1 || b.window != 0 {
		t.Errorf("all came up to %d, %x", b.next, b.window)
	}
}

// A message is acknowledged when it is durable, once, and again for each duplicate.
func TestAcknowledgements(t *testing.T) {
	var b Inbox
	b.Take(1)
	b.Take(2)
	if !b.Unsafe() || b.Owes() || b.Ack() != 0 {
		t.Errorf("before a snapshot: %+v", b)
	}
	b.Snapshot()
	b.Take(3) // is not in it
	b.Persisted()
	if !b.Owes() || b.Ack() != 2 || b.Owes() || !b.Unsafe() {
		t.Errorf("with a snapshot: %+v", b)
	}
	b.Take(3)
	if !b.Owes() || b.Ack() != 2 {
		t.Errorf("what comes twice: %+v", b)
	}
	if b.Heard(); b.Owes() {
		t.Errorf("when that was said: %+v", b)
	}
	b.Volatile()
	if b.Unsafe() || b.Ack() != 3 || b.Came() != 3 {
		t.Errorf("without snapshots: %+v", b)
	}
	b.Repeat()
	if come, ok := b.Has(4); come || !ok || !b.Owes() {
		t.Errorf("another one would be taken, %t, as it has not come, %t: %+v", ok, come, b)
	}
}

// A message that is left to the next incarnation has come, but neither it nor a later one is acknowledged.
func TestRelease(t *testing.T) {
	var b Inbox
	for seq := range uint64(4) {
		b.Take(seq + 1)
	}
	b.Release(3)
	b.Release(4) // after another one
	if b.Ack() != 0 || b.Released() != 0 {
		t.Errorf("before they are durable: %+v", b)
	}
	b.Volatile()
	if !b.Owes() || b.Ack() != 2 || b.Released() != 4 || b.Owes() {
		t.Errorf("from the third on they are left: %+v", b)
	}
	if isNew, ok := b.Take(3); isNew || !ok || b.MayAck(2) != 2 || b.MayAck(3) != 2 {
		t.Errorf("it comes again: %+v", b)
	}
}
