package hosttest_test

import (
	"slices"
	"sync"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// shortReads is no fault: a read may return less than there is.
type shortReads struct{ peer.Stream }

func (s shortReads) Read(p []byte) (int, error) { return s.Stream.Read(p[:min(len(p), 5)]) }

type otherPeer struct {
	peer.Stream
	id wire.PeerID
}

func (s otherPeer) Peer() wire.PeerID { return s.id }

type otherProtocol struct{ peer.Stream }

func (otherProtocol) Protocol() peer.Protocol { return peer.EnvelopeStream }

type endless struct{ peer.Stream }

func (endless) Close() error { return nil }

type halfClosed struct{ peer.Stream }

func (s halfClosed) Close() error { return s.Stream.(interface{ CloseWrite() error }).CloseWrite() }

// untold is a stream whose writer is not told that the other end is closed.
type untold struct{ peer.Stream }

func (s untold) Write(p []byte) (int, error) {
	if _, err := s.Stream.Write(p); err != nil {
		time.Sleep(10 * time.Millisecond) // it would not be told for ever
	}
	return len(p), nil
}

// late writes something when the next is written, or before something is read, and not at Close.
type late struct {
	peer.Stream
	mu   sync.Mutex
	kept []byte
}

func newLate(s peer.Stream) peer.Stream {
	if s.Protocol() != peer.BulkStream {
		return s
	}
	return &late{Stream: s}
}

func (s *late) Write(p []byte) (int, error) {
	err := s.flush(slices.Clone(p))
	return len(p), err
}

func (s *late) Read(p []byte) (int, error) {
	s.flush(nil)
	return s.Stream.Read(p)
}

func (s *late) flush(next []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.Stream.Write(s.kept)
	s.kept = next
	return err
}

// swapped writes each second piece before the one that was written before it.
type swapped struct {
	peer.Stream
	kept []byte
}

func (s *swapped) Write(p []byte) (int, error) {
	if s.kept == nil {
		s.kept = slices.Clone(p)
		return len(p), nil
	}
	_, err := s.Stream.Write(slices.Concat(p, s.kept))
	s.kept = nil
	return len(p), err
}

// third is a stream whose third write has a fault.
type third struct {
	peer.Stream
	count int
	write func(s peer.Stream, p []byte) (int, error)
}

func (s *third) Write(p []byte) (int, error) {
	if s.count++; s.count == 3 {
		return s.write(s.Stream, p)
	}
	return s.Stream.Write(p)
}

func twice(s peer.Stream, p []byte) (int, error) {
	s.Write(p)
	return s.Write(p)
}

func never(_ peer.Stream, p []byte) (int, error) { return len(p), nil }

func altered(s peer.Stream, p []byte) (int, error) {
	p = slices.Clone(p)
	p[len(p)/2] ^= 1
	return s.Write(p)
}

type oneWay struct {
	peer.Stream
	mu sync.Mutex
}

func (s *oneWay) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Stream.Read(p)
}

func (s *oneWay) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Stream.Write(p)
}

type readsOn struct{ peer.Stream }

func (readsOn) SetReadDeadline(time.Time) error { return nil }

type writesOn struct{ peer.Stream }

func (writesOn) SetWriteDeadline(time.Time) error { return nil }

// unbounded keeps everything that the other end has not read.
type unbounded struct {
	peer.Stream
	turn sync.Mutex
}

func (s *unbounded) Write(p []byte) (int, error) {
	b := slices.Clone(p)
	go func() {
		s.turn.Lock()
		defer s.turn.Unlock()
		s.Stream.Write(b)
	}()
	return len(p), nil
}

// heap holds memory that is never released.
var heap struct {
	sync.Mutex
	used [][]byte
}

func heavy(s peer.Stream) peer.Stream {
	heap.Lock()
	defer heap.Unlock()
	heap.used = append(heap.used, make([]byte, 1<<20))
	return s
}
