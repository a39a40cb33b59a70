package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// scripted is a transport whose dials and streams a test decides about.
type scripted struct {
	peer.Transport
	dial    func(to wire.PeerID, p peer.Protocol) (peer.Stream, error)
	streams chan peer.Stream
	done    chan struct{}
	once    sync.Once
}

func newScripted(dial func(wire.PeerID, peer.Protocol) (peer.Stream, error)) *scripted {
	return &scripted{dial: dial, streams: make(chan peer.Stream), done: make(chan struct{})}
}

func (x *scripted) Dial(_ context.Context, to wire.PeerID, _ []wire.Address, p peer.Protocol) (peer.Stream, error) {
	return x.dial(to, p)
}

func (x *scripted) Accept() (peer.Stream, error) {
	select {
	case s := <-x.streams:
		return s, nil
	case <-x.done:
		return nil, peer.ErrClosed
	}
}

func (x *scripted) Close() error {
	x.once.Do(func() { close(x.done) })
	return nil
}

// namedStream is an end of a stream to a stage.
type namedStream struct {
	pipeStream
	id       wire.PeerID
	protocol peer.Protocol
}

func (s namedStream) Peer() wire.PeerID       { return s.id }
func (s namedStream) Protocol() peer.Protocol { return s.protocol }

// placeOf returns the place of a stage in a pipeline of n, whose peers have ids and no keys.
func placeOf(t *testing.T, number, n int) *place {
	t.Helper()
	p := &place{m: &newScales(n, 0).Model, number: number}
	for k := range n {
		id, err := wire.PeerIDOf([]byte(strings.Repeat(string(rune('a'+k)), 32)))
		if err != nil {
			t.Fatal(err)
		}
		p.members = append(p.members, peer.Member{ID: id, Class: Class, Rank: k})
	}
	return p
}

// stream returns both ends of a stream to a stage.
func (p *place) stream(stage int, protocol peer.Protocol) (near namedStream, far net.Conn) {
	a, b := net.Pipe()
	return namedStream{pipeStream{c: a}, p.members[stage].ID, protocol}, b
}

// answers greets like a stage of the program, and reads until the stream ends, which it reports.
func (p *place) answers(stage int, far net.Conn) (over <-chan bool) {
	end := make(chan bool, 1)
	go writeMessage(far, hello, fmt.Appendf(p.m.fingerprint(), "%d", stage))
	go func() {
		io.Copy(io.Discard, far)
		far.Close()
		end <- true
	}()
	return end
}

// TestSilentStage: a stage that opens a stream and says nothing has a limited time, after which the error names it. One that has
// been dialed has more: it answers when the stage before it has been started, which only the user ends.
func TestSilentStage(t *testing.T) {
	for name, reads := range map[string]bool{"reads": true, "does not read": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := placeOf(t, 0, 2)
				near, far := p.stream(1, dataStream)
				if reads {
					go io.Copy(io.Discard, far)
				}
				x := newScripted(nil)
				go func() { x.streams <- near }()
				l := &links{}
				began := time.Now()
				err := p.acceptAll(t.Context(), x, l)
				if took := time.Since(began); !errors.Is(err, errSilent) || !strings.Contains(err.Error(), "stage 1 of 2") || took != handshakeTimeout {
					t.Errorf("after %v: %v, want after %v that stage 1 says nothing", took, err, handshakeTimeout)
				}
				if _, err := near.Write([]byte{1}); !errors.Is(err, io.ErrClosedPipe) {
					t.Errorf("the connection is open: %v", err)
				}
				far.Close()
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		p := placeOf(t, 1, 2)
		near, far := p.stream(0, dataStream)
		go io.Copy(io.Discard, far)
		x := newScripted(func(wire.PeerID, peer.Protocol) (peer.Stream, error) { return near, nil })
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		began := time.Now()
		_, err := p.dial(ctx, x, 0, dataStream)
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != time.Hour {
			t.Errorf("after %v: %v, want that it waits until the user ends it", took, err)
		}
		far.Close()
	})
}

// TestLateGreeting: a greeting just before the limit is one, and the limit does not end the connection afterwards.
func TestLateGreeting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := placeOf(t, 0, 3)
		x, l := newScripted(nil), &links{}
		near, far := p.stream(1, dataStream)
		last, control := p.stream(2, controlStream)
		go func() {
			x.streams <- near
			x.streams <- last
		}()
		go io.Copy(io.Discard, far)
		time.AfterFunc(handshakeTimeout-1, func() { writeMessage(far, hello, append(p.m.fingerprint(), '1')) })
		time.AfterFunc(handshakeTimeout, func() { p.answers(2, control) })
		if err := p.acceptAll(t.Context(), x, l); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * handshakeTimeout)
		if err := writeMessage(far, forward, []byte("x")); err != nil {
			t.Errorf("the connection has ended: %v", err)
		}
		if m, ok := <-l.next.in; !ok || m.kind != forward {
			t.Errorf("got %v, %v", m, ok)
		}
		l.close()
		far.Close()
		control.Close()
	})
}

// TestStrangeStreams: while a stage waits for others, streams that are not expected are closed, and do no harm: of peers that are
// no stage, of stages that have no business here, of the wrong kind, and of a stage that is connected already.
func TestStrangeStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := placeOf(t, 1, 4)
		x, l := newScripted(nil), &links{}
		stranger := placeOf(t, 0, 5).members[4].ID
		var strange []<-chan bool
		send := func(stage int, protocol peer.Protocol, id wire.PeerID) {
			near, far := p.stream(stage, protocol)
			if !id.IsZero() {
				near.id = id
			}
			strange = append(strange, p.answers(stage, far))
			x.streams <- near
		}
		var nobody wire.PeerID
		go func() {
			send(2, dataStream, stranger)
			send(2, controlStream, nobody)
			send(3, dataStream, nobody)
			send(0, dataStream, nobody)
			send(1, dataStream, nobody) // itself
			send(2, "/other/1", nobody)
			near, far := p.stream(2, dataStream)
			p.answers(2, far)
			x.streams <- near
			send(2, dataStream, nobody) // once more
			near, far = p.stream(3, controlStream)
			p.answers(3, far)
			x.streams <- near
		}()
		if err := p.acceptAll(t.Context(), x, l); err != nil {
			t.Fatal(err)
		}
		if l.next == nil || l.next.stage != 2 || l.control == nil || l.control.stage != 3 {
			t.Errorf("it is connected to %+v", l)
		}
		synctest.Wait()
		for i, over := range strange {
			if len(over) != 1 {
				t.Errorf("strange stream %d is open", i)
			}
		}
		l.close()
	})
}

// TestHalfConnected: when a later connection fails, those that were made before are closed, in the middle of a pipeline and at its
// end: the other stages see it at once. No goroutine remains, otherwise the bubble of the test would not end.
func TestHalfConnected(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		number, of int
		fails      int // which connection fails
	}{{3, 4, 0}, {3, 4, 1}, {3, 4, 2}, {3, 4, 3}, {1, 4, 1}, {1, 4, 2}} {
		t.Run(fmt.Sprintf("connection %d of stage %d", c.fails, c.number), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := placeOf(t, c.number, c.of)
				var mu sync.Mutex // guards what follows: this stage dials while others do
				var ends []<-chan bool
				made := 0
				next := func(stage int, protocol peer.Protocol) peer.Stream {
					mu.Lock()
					defer mu.Unlock()
					near, far := p.stream(stage, protocol)
					if made++; made > c.fails { // this one ends instead of an answer
						far.Close()
						return near
					}
					ends = append(ends, p.answers(stage, far))
					return near
				}
				x := newScripted(func(to wire.PeerID, protocol peer.Protocol) (peer.Stream, error) {
					return next(p.numberOf(to), protocol), nil
				})
				go func() {
					if c.number == p.last() {
						return
					}
					for stage, protocol := range map[int]peer.Protocol{p.number + 1: dataStream, p.last(): controlStream} {
						select {
						case x.streams <- next(stage, protocol):
						case <-x.done:
							return
						}
					}
				}()
				l, err := p.connectOver(t.Context(), x)
				if l != nil || err == nil || !strings.Contains(err.Error(), "is lost") {
					t.Errorf("got %v, %v, want the stage that is lost", l, err)
				}
				synctest.Wait()
				if len(ends) < c.fails {
					t.Errorf("%d connections were made, want %d", len(ends), c.fails)
				}
				for i, over := range ends {
					if i < c.fails && len(over) != 1 {
						t.Errorf("connection %d is open", i)
					}
				}
				if _, err := x.Accept(); !errors.Is(err, peer.ErrClosed) {
					t.Errorf("the transport is open: %v", err)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		p := placeOf(t, 1, 2)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		dials := 0
		x := newScripted(func(wire.PeerID, peer.Protocol) (peer.Stream, error) {
			dials++
			return nil, broken
		})
		if _, err := p.connectOver(ctx, x); !errors.Is(err, broken) || !strings.Contains(err.Error(), "stage 0 cannot be reached") {
			t.Errorf("got %v", err)
		}
		// Pauses of 20, 40, 80, 160, 320 and then 500 ms.
		if want := 6 + int((time.Minute-620*time.Millisecond)/maxPause); dials != want && dials != want+1 {
			t.Errorf("%d attempts in a minute, want %d", dials, want)
		}
	})
}
