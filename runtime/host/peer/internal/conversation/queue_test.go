package conversation

import (
	"bytes"
	"encoding/binary"
	"io"
	goruntime "runtime"
	"slices"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// writing is a stream that keeps the written bytes.
type writing struct{ bytes.Buffer }

func (w *writing) SetWriteDeadline(time.Time) error { return nil }

// Queued data are written completely and in order, also if more is queued meanwhile, and large payloads from
// the node's memory.
func TestOutQueue(t *testing.T) {
	for _, size := range []int{0, 100, runtime.Final - 1, runtime.Final, 3 << 20} {
		payload := make([]byte, size)
		for i := range payload {
			payload[i] = byte(i * i >> 8)
		}
		for _, late := range []bool{false, true} {
			q := NewQueue()
			var s writing
			sent := 0
			ended := make(chan error)
			write := func() { ended <- q.Write(&s, time.Minute, func(n int) { sent += n }) }
			if !late {
				go write()
			}
			var want []byte
			for i := range 20 {
				e := &wire.Envelope{Seq: uint64(i + 1), Exec: wire.ExecID{Origin: wire.PeerID{}, Incarnation: 1, Number: uint64(i)}}
				for range i % 3 {
					e.Fills = append(e.Fills, wire.SlotFill{Payload: payload, Dims: []uint64{uint64(i)}})
				}
				waits := q.Send(e)
				want = wire.AppendEnvelope(wire.AppendLength(want, e.Size()), e)
				if late && waits != len(want) {
					t.Fatalf("%d bytes wait, want %d", waits, len(want))
				}
				ping := wire.AppendPing(nil, wire.Ping{ID: uint64(i + 1)})
				q.Append(func(b []byte) []byte { return AppendFrame(b, ping) })
				want = AppendFrame(want, ping)
			}
			if q.Close(); late {
				go write()
			}
			if err := <-ended; err != nil || !bytes.Equal(s.Bytes(), want) || sent != len(want) {
				t.Errorf("payloads of %d: %d bytes are written and %d told, want %d, or others: %v", size, s.Len(), sent, len(want), err)
			}
		}
	}
}

// acknowledges writes a queue to its end while bare acknowledgements 1 to n and messages of between are queued,
// and returns the acknowledgements that were written.
func acknowledges(t *testing.T, q *Queue, n uint64, between func(i uint64)) (acks []uint64) {
	t.Helper()
	var s writing
	ended := make(chan error)
	go func() { ended <- q.Write(&s, time.Minute, func(int) {}) }()
	for i := range n {
		q.Send(&wire.Envelope{Ack: i + 1})
		between(i + 1)
	}
	q.Close()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	limits := wire.Default()
	for b := s.Bytes(); len(b) > 0; {
		size, head := binary.Uvarint(b)
		var e wire.Envelope
		if err := wire.ConsumeEnvelope(&e, b[head:head+int(size)], &limits); err != nil {
			t.Fatal(err)
		}
		acks = append(acks, e.Ack)
		b = b[head+int(size):]
	}
	return acks
}

// Acknowledgements for a peer that sends many messages without other answers are combined: the first is sent at
// once, and only the last one after the pause.
func TestAcknowledgementsTogether(t *testing.T) {
	q := NewQueue()
	q.pause = time.Hour
	acks := acknowledges(t, q, 1000, func(uint64) { goruntime.Gosched() })
	if want := []uint64{1, 1000}; !slices.Equal(acks, want) {
		t.Errorf("acknowledged is %d, want %d", acks, want)
	}
}

// A message replaces a delayed acknowledgement if it acknowledges at least as much.
func TestAcknowledgementsTravelAlong(t *testing.T) {
	q := NewQueue()
	q.pause = time.Hour
	acks := acknowledges(t, q, 3, func(i uint64) {
		if i > 1 {
			q.Send(&wire.Envelope{Seq: i, Ack: 5 - i}) // the second acknowledges less than the delayed one
		}
	})
	if want := []uint64{1, 3, 2, 3}; !slices.Equal(acks, want) {
		t.Errorf("acknowledged is %d, want %d", acks, want)
	}
}

// A delayed acknowledgement is sent at the end of the pause.
func TestAcknowledgementAfterPause(t *testing.T) {
	q := NewQueue()
	for i := range uint64(3) {
		q.Send(&wire.Envelope{Ack: i + 1})
	}
	size := (&wire.Envelope{Ack: 3}).Size()
	for written := 0; written < 2*size; { // at the first, it waits for as long as it takes
		o := q.take()
		written += o.size
		q.give(o)
	}
}

// An acknowledgement of few messages waits for longer than one of many, whose sender may wait for it. Few become many meanwhile.
func TestFewAcknowledgementsWait(t *testing.T) {
	q := NewQueue()
	q.pause = time.Hour
	q.Send(&wire.Envelope{Ack: 1}) // at once
	q.ackAt = time.Now().Add(-2 * q.pause)
	q.Send(&wire.Envelope{Ack: manyAcks})
	few := q.ackDue
	if q.ack.Ack != manyAcks || time.Until(few) < (fewPauses-3)*q.pause {
		t.Errorf("%d messages are acknowledged in %v, want them to wait", manyAcks-1, time.Until(few))
	}
	q.ackAt = time.Now()
	q.Send(&wire.Envelope{Ack: manyAcks + 1})
	if q.ack.Ack == 0 || !q.ackDue.Before(few) || time.Until(q.ackDue) > q.pause {
		t.Errorf("%d messages are acknowledged in %v, want them in %v", manyAcks, time.Until(q.ackDue), q.pause)
	}
	q.ackAt = time.Now().Add(-2 * q.pause)
	q.Send(&wire.Envelope{Ack: manyAcks + 2})
	if q.ack.Ack != 0 || q.told != manyAcks+2 {
		t.Errorf("%d messages after the pause wait", manyAcks+1)
	}
}

// A producer is told once that the queue is full, and once that it is not: each is an event of the node.
func TestPausing(t *testing.T) {
	q := NewQueue()
	if q.Resuming() {
		t.Error("it resumes what was not paused")
	}
	if !q.Pausing() || q.Pausing() || !q.Resuming() || q.Resuming() {
		t.Error("the producer is told twice")
	}
}

// When a writer tells what it has written, that does not count as unwritten any more: so a producer that has paused and finds
// nothing unwritten knows that it has not been told to go on, and one that finds something will be.
func TestWrittenBeforeTold(t *testing.T) {
	q := NewQueue()
	q.Append(func(b []byte) []byte { return append(b, "a message"...) })
	q.Close()
	left := -1
	if err := q.Write(&writing{}, time.Minute, func(int) { left = q.Unwritten() }); err != nil || left != 0 {
		t.Errorf("%d bytes are unwritten when all are: %v", left, err)
	}
}

// Of several large payloads that were queued together each is told when it is written, so that the producer goes on meanwhile.
func TestToldMeanwhile(t *testing.T) {
	const size = 2 * tellsFrom
	q := NewQueue()
	for i := range uint64(3) {
		q.Send(&wire.Envelope{Seq: i + 1, Fills: []wire.SlotFill{{Payload: make([]byte, size)}}})
	}
	all := q.Unwritten()
	q.Close()
	var s writing
	var left []int
	if err := q.Write(&s, time.Minute, func(int) { left = append(left, (q.Unwritten()+size-1)/size) }); err != nil || s.Len() != all {
		t.Errorf("%d bytes are written, want %d: %v", s.Len(), all, err)
	}
	if want := []int{3, 2, 0}; !slices.Equal(left, want) && !slices.Equal(left, []int{2, 1, 0}) {
		t.Errorf("there are %d payloads to write whenever one is told, want %d", left, want)
	}
}

// A queue whose writer has failed keeps no payload, also none of later messages, and tells its producer to pause as before.
func TestWriterFails(t *testing.T) {
	m := tensor.NewMemory(runtime.Final)
	e := &wire.Envelope{Seq: 1, Fills: []wire.SlotFill{{Payload: m.Bytes()[:runtime.Final], Blob: wire.HeldIn(m, m.Bytes())}}}
	q := NewQueue()
	stuck := &stuckWriter{begun: make(chan bool), end: make(chan bool)}
	ended := make(chan error)
	go func() { ended <- q.Write(stuck, time.Minute, func(int) {}) }()
	q.Send(e)
	<-stuck.begun
	q.Send(e)
	close(stuck.end)
	if err := <-ended; err == nil {
		t.Fatal("nothing fails")
	}
	if waits := q.Send(e); waits < 2*runtime.Final {
		t.Errorf("%d bytes wait, want those of two messages", waits)
	}
	if m.IsShared() {
		t.Error("payloads are kept")
	}
}

// stuckWriter is a stream that fails after a while.
type stuckWriter struct {
	failing
	begun, end chan bool
}

func (s *stuckWriter) Write([]byte) (int, error) {
	close(s.begun)
	<-s.end
	return 0, io.ErrClosedPipe
}
