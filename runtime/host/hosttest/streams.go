package hosttest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// ends checks that a call ends with an error, and returns that. Otherwise the test fails because of the problem.
func ends(t *testing.T, problem string, call func() error) error {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- call() }()
	select {
	case err := <-ended:
		if err == nil {
			t.Error(problem)
		}
		return err
	case <-time.After(patience):
		t.Fatal(problem)
		return nil
	}
}

// readOne reads a byte.
func readOne(s peer.Stream) error {
	_, err := s.Read(make([]byte, 1))
	return err
}

// isTimeout reports whether a deadline is the reason of an error.
func isTimeout(err error) bool {
	var slow interface{ Timeout() bool }
	return errors.As(err, &slow) && slow.Timeout()
}

// two are a transport that listens, and one that dials it.
type two struct {
	listens, dials peer.Transport
	id             wire.PeerID // of the one that listens
}

func (k *kit) two(t *testing.T) *two {
	t.Helper()
	a, id := k.bare(t, true)
	b, _ := k.bare(t, false)
	return &two{a, b, id}
}

// stream opens a stream, and returns both ends.
func (x *two) stream(t *testing.T, p peer.Protocol) (near, far peer.Stream) {
	t.Helper()
	accepted := make(chan peer.Stream, 1)
	go func() {
		if s, err := x.listens.Accept(); err == nil {
			accepted <- s
		}
	}()
	near, err := x.dials.Dial(t.Context(), x.id, x.listens.Addresses(), p)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case far = <-accepted:
	case <-time.After(patience):
		t.Fatalf("%v: nobody accepts", p)
	}
	t.Cleanup(func() {
		near.Close()
		far.Close()
	})
	return near, far
}

// Close of a transport, at either end, ends calls of it and of its streams. Close of a stream ends its own.
func testClose(t *testing.T, k *kit) {
	x := k.two(t)
	near, _ := x.stream(t, peer.EnvelopeStream)
	own, _ := x.stream(t, peer.EnvelopeStream)
	reading := make(chan error, 1)
	go func() { reading <- readOne(own) }()
	own.Close()
	ends(t, "a read goes on after Close of its stream", func() error { return <-reading })
	ends(t, "a write goes on after Close of its stream", func() error { _, err := own.Write([]byte("a")); return err })

	accepting := make(chan error, 1)
	go func() {
		_, err := x.listens.Accept()
		accepting <- err
	}()
	if err := x.listens.Close(); err != nil {
		t.Error(err)
	}
	if err := ends(t, "Accept goes on after Close", func() error { return <-accepting }); !errors.Is(err, peer.ErrClosed) {
		t.Errorf("Accept says %v, want %v", err, peer.ErrClosed)
	}
	ends(t, "a stream outlives the other end", func() error { return readOne(near) })

	y := k.two(t)
	near, _ = y.stream(t, peer.EnvelopeStream)
	y.dials.Close()
	ends(t, "a stream outlives its transport", func() error { return readOne(near) })
	ends(t, "a transport dials after Close", func() error {
		_, err := y.dials.Dial(t.Context(), y.id, y.listens.Addresses(), peer.EnvelopeStream)
		return err
	})
}

// A dial ends with its context.
func testDialCanceled(t *testing.T, k *kit) {
	x := k.two(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ends(t, "a dial goes on when it need not", func() error {
		_, err := x.dials.Dial(ctx, x.id, x.listens.Addresses(), peer.EnvelopeStream)
		return err
	})
}

// A writer gets an error when the other end has closed the stream, without waiting for a deadline. Data written
// before arrive.
func testReaderCloses(t *testing.T, k *kit) {
	x := k.two(t)
	for _, p := range protocols {
		near, far := x.stream(t, p)
		go func() {
			io.ReadFull(far, make([]byte, 3))
			far.Write([]byte("enough"))
			far.Close()
		}()
		near.SetReadDeadline(time.Now().Add(patience))
		near.Write([]byte("abc"))
		if got, err := io.ReadAll(near); string(got) != "enough" || isTimeout(err) {
			t.Fatalf("%v: got %q, %v, want %q and the end", p, got, err, "enough")
		}
		ends(t, string(p)+": the writer still waits", func() error {
			for t.Context().Err() == nil {
				if _, err := near.Write(make([]byte, 1<<20)); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// pieces are sizes of writes: some fill a packet, a record of TLS or a buffer, and others do not.
var pieces = []int{1, 2, 500, 16 << 10, 1, 70_000, 300_000, 3}

// written returns the bytes of all pieces, which differ for each number.
func written(number byte) []byte {
	n := 0
	for _, size := range pieces {
		n += size
	}
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{number}).Read(b)
	return b
}

// Bytes arrive once, unchanged and in order, on several streams and in both directions at the same time. Those written
// before Close arrive, too, and the end follows.
func testBytes(t *testing.T, k *kit) {
	x := k.two(t)
	var near, far [len(protocols)]peer.Stream
	var all sync.WaitGroup
	for i, p := range protocols {
		near[i], far[i] = x.stream(t, p)
	}
	for i := range protocols {
		there, back := written(byte(i)), written(byte(100+i))
		all.Go(func() { writePieces(t, near[i], there) })
		all.Go(func() { readPieces(t, far[i], there) })
		all.Go(func() { writePieces(t, far[i], back) })
		all.Go(func() { readPieces(t, near[i], back) })
	}
	if all.Wait(); t.Failed() {
		return
	}
	for i, p := range protocols {
		last := written(byte(i))[:10_000]
		near[i].Write(last)
		near[i].Close()
		if got, err := io.ReadAll(far[i]); !bytes.Equal(got, last) || isTimeout(err) {
			t.Errorf("%v: %d bytes of the %d before Close arrive, and then %v", p, common(got, last), len(last), err)
		}
	}
}

func writePieces(t *testing.T, s peer.Stream, b []byte) {
	s.SetWriteDeadline(time.Now().Add(patience))
	for _, size := range pieces {
		if n, err := s.Write(b[:size]); n != size || err != nil {
			t.Errorf("%v: %d bytes of %d are written: %v", s.Protocol(), n, size, err)
			return
		}
		b = b[size:]
	}
}

func readPieces(t *testing.T, s peer.Stream, want []byte) {
	s.SetReadDeadline(time.Now().Add(patience))
	got := make([]byte, len(want))
	n, err := io.ReadFull(s, got)
	if same := common(got[:n], want); same != len(want) {
		t.Errorf("%v: %d bytes arrive, of which the first %d are those of the %d that were written: %v", s.Protocol(), n, same, len(want), err)
	}
}

// common returns how many bytes at the start are the same.
func common(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// Reads and writes end at their deadlines, and a writer waits for the reader after some MiB.
func testDeadlines(t *testing.T, k *kit) {
	const most = 64 << 20
	x := k.two(t)
	for _, p := range protocols {
		near, far := x.stream(t, p)
		near.SetReadDeadline(time.Now())
		if err := ends(t, "a read goes on after its deadline", func() error { return readOne(near) }); !isTimeout(err) {
			t.Errorf("%v: a read ends at its deadline with %v", p, err)
		}
		near.SetReadDeadline(time.Now().Add(patience))
		far.Write([]byte("a"))
		if err := readOne(near); err != nil {
			t.Errorf("%v: after a deadline nothing is read: %v", p, err)
		}
		n := 0
		err := ends(t, "a write goes on after its deadline", func() error {
			for n < most {
				near.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
				k, err := near.Write(make([]byte, 1<<20))
				if n += k; err != nil {
					return err
				}
			}
			return errors.New("the writer need not wait")
		})
		if !isTimeout(err) {
			t.Errorf("%v: nobody reads the %d MiB that are written: %v", p, n>>20, err)
		}
		near.Close()
		far.Close() // what it did not read may be in the way of other streams
	}
}
