package connection

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/internal/mailbox"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/spool"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/wire"
)

// side is one of two hosts that are connected, without a node. Its loop records what it is told.
type side struct {
	shared  Shared
	account Account
	c       *Conn
	told    []string
	serves  wire.Blob // the payload that the other side may fetch
	filled  []byte    // the payload that this side has fetched
}

func (x *side) Deliver(b *Batch) bool {
	at := 0
	for _, end := range b.ends {
		var e wire.Envelope
		if err := wire.ConsumeEnvelope(&e, b.buf[at:end], &x.shared.Limits.Wire); err != nil {
			x.told = append(x.told, err.Error())
		}
		x.told = append(x.told, fmt.Sprint("envelope ", e.Seq))
		at = end
	}
	b.Drop()
	b.Release()
	return true
}

func (x *side) Alive(*Conn)                           {}
func (x *side) Pong(_ *Conn, p wire.Ping)             { x.told = append(x.told, "pong") }
func (x *side) Resume(*Conn)                          { x.told = append(x.told, "resume") }
func (x *side) Introduced(wire.PeerID, []byte) error  { return nil }
func (x *side) Fetched(b *Bulk, a wire.Ack)           { b.Out.Start(a, x.serves) }
func (x *side) Interrupted(*Bulk, conversation.Taken) {}
func (x *side) BulkEnded(*Bulk, error)                { x.told = append(x.told, "bulk ended") }
func (x *side) parallelEnded(p *Parallel, first bool) {
	x.told = append(x.told, fmt.Sprint("parallel ended, first: ", first))
}
func (x *side) frames(s Stream) *conversation.Frames { return conversation.NewFrames(s, time.Minute) }

// Filled keeps the bytes of the payload, which may be in a file.
func (x *side) Filled(_ *Bulk, t conversation.Taken) {
	v, err := wire.Loaded(t.Data)
	if err != nil {
		x.told = append(x.told, err.Error())
		return
	}
	x.filled = bytes.Clone(v.Bytes())
}

// pair connects two sides in virtual time; the first one has dialed. They end with the test.
func pair(t *testing.T, test func(near, far *side)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		a, b := net.Pipe()
		sides := []*side{{}, {}}
		var offer wire.Hello
		for i, s := range []Stream{pipeStream{b}, pipeStream{a}} { // first the end that offers parallel streams
			x := sides[1-i]
			x.shared = Shared{Limits: limits.Default(), Times: DefaultTimes(), Began: time.Now(), Mail: mailbox.New(), Ctx: ctx}
			x.c = New(&x.shared, x, &x.account, s, x.frames(s), offer, i == 1)
			if i == 0 {
				x.c.Offer(1, &offer)
			}
			go x.c.Run()
			go func() {
				for ctx.Err() == nil {
					select {
					case <-x.shared.Mail.Wake():
						x.shared.Mail.Run()
					case <-ctx.Done():
					}
				}
			}()
		}
		test(sides[0], sides[1])
		for _, x := range sides {
			x.c.Close()
		}
		synctest.Wait()
		cancel()
	})
}

// waits has all goroutines do what they can, and returns what the loop of a side was told.
func (x *side) waits() []string {
	synctest.Wait()
	var told []string
	x.shared.Ask(func() { told = slices.Clone(x.told) })
	return told
}

// gate is a stream that reads nothing before it is opened.
type gate struct {
	Stream
	open chan struct{}
}

func (g gate) Read(b []byte) (int, error) {
	<-g.open
	return g.Stream.Read(b)
}

// TestParallelOrder: envelopes arrive in the order in which they were sent, although a large one comes on a slower stream. When
// the parallel stream ends, so does the connection, and each loop is told.
func TestParallelOrder(t *testing.T) {
	pair(t, func(near, far *side) {
		a, b := net.Pipe()
		slow := gate{pipeStream{b}, make(chan struct{})}
		far.shared.Ask(func() { far.c.Add(1, slow, far.frames(slow), &wire.Hello{Protocol: wire.Protocol}, far.parallelEnded) })
		f, _, err := near.shared.ReadHello(pipeStream{a})
		if err != nil {
			t.Fatal(err)
		}
		near.shared.Ask(func() {
			near.c.Add(1, pipeStream{a}, f, nil, near.parallelEnded)
			near.c.Open(1)
			near.c.Send(&wire.Envelope{Seq: 1, Fills: []wire.SlotFill{{Payload: make([]byte, parallelFrom)}}})
			near.c.Send(&wire.Envelope{Seq: 2})
		})
		if told := far.waits(); slices.Contains(told, "envelope 2") {
			t.Errorf("the later envelope overtakes: %q", told)
		}
		close(slow.open)
		if told := far.waits(); !slices.Equal(told, []string{"envelope 1", "envelope 2"}) {
			t.Errorf("it is told %q, want both envelopes in order", told)
		}
		if far.shared.Ask(func() {
			far.c.Send(&wire.Envelope{Seq: 3, Fills: []wire.SlotFill{{Payload: make([]byte, parallelFrom)}}})
		}); !slices.Contains(near.waits(), "envelope 3") {
			t.Error("the end that was dialed cannot send a large envelope")
		}
		a.Close()
		for name, x := range map[string]*side{"near": near, "far": far} {
			if told := x.waits(); !slices.Contains(told, "parallel ended, first: true") && !slices.Contains(told, "parallel ended, first: false") {
				t.Errorf("the %s loop is not told of the end: %q", name, told)
			}
			select {
			case <-x.c.ended:
			default:
				t.Errorf("the %s connection stays", name)
			}
		}
	})
}

// TestBulk: a payload that one side fetches comes whole, and is released; both loops are told when the stream ends.
func TestBulk(t *testing.T) {
	data := make([]byte, 3<<20)
	for i := range data {
		data[i] = byte(i >> 8)
	}
	pair(t, func(near, far *side) {
		dir := t.TempDir()
		values, err := spool.New(disk.OS, dir, 1, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		a, b := net.Pipe()
		near.serves = wire.Bytes(data)
		sends, gets := NewBulk(near, near.c, pipeStream{a}, near.frames(pipeStream{a})), NewBulk(far, far.c, pipeStream{b}, far.frames(pipeStream{b}))
		sends.Start()
		gets.Start()
		far.shared.Ask(func() {
			ask, ok, err := far.account.Inbound.Fetch(wire.Bulk{ID: 7, Size: uint64(len(data)), CRC: wire.CRC(data)}, values, &far.shared.Limits.Wire)
			if !ok || err != nil {
				t.Errorf("it cannot be fetched: %v, %v", ok, err)
			}
			gets.Out.Acknowledge(ask)
		})
		if far.waits(); !bytes.Equal(far.filled, data) {
			t.Errorf("%d bytes come, want the payload of %d", len(far.filled), len(data))
		}
		if sent, got := near.account.Sent.Load(), far.account.Received.Load(); sent < int64(len(data)) || got < int64(len(data)) {
			t.Errorf("%d bytes are counted as sent, and %d as received", sent, got)
		}
		sends.Close()
		for _, x := range []*side{near, far} {
			if told := x.waits(); !slices.Contains(told, "bulk ended") {
				t.Errorf("a loop is not told of the end: %q", told)
			}
		}
	})
}

// TestDrain: what is queued when a connection ends is written, and the other end reads it.
func TestDrain(t *testing.T) {
	pair(t, func(near, far *side) {
		near.shared.Ask(func() {
			near.c.AskPing(near.shared.Now())
			near.c.Send(&wire.Envelope{Seq: 1})
		})
		near.c.Drain()
		if told := far.waits(); !slices.Contains(told, "envelope 1") {
			t.Errorf("the other end is told %q, want the envelope", told)
		}
		if told := near.waits(); !slices.Contains(told, "pong") {
			t.Errorf("the ping is not answered: %q", told)
		}
		if n := near.c.Unwritten(); n != 0 {
			t.Errorf("%d bytes are not written", n)
		}
	})
}

// TestExchange: a stream begins with a Hello of each end. What else the other end does is an error that says it.
func TestExchange(t *testing.T) {
	hello := wire.Hello{Protocol: wire.Protocol, Incarnation: 5}
	frame := func(h wire.Hello) []byte { return conversation.AppendFrame(nil, AppendHello(h)) }
	for name, tt := range map[string]struct {
		answer []byte
		want   error
		known  uint64 // the incarnation that the other end knows
		why    string
	}{
		"a hello":        {frame(hello), nil, 0, ""},
		"nothing":        {nil, ErrRefused, 0, ""},
		"no hello":       {conversation.AppendFrame(nil, []byte{0xff}), ErrNoHello, 0, ""},
		"a refusal":      {frame(wire.Hello{Protocol: wire.Protocol, Refusal: "not you"}), ErrRefused, 0, "not you"},
		"a later one":    {frame(wire.Hello{Protocol: wire.Protocol, Refusal: "too old", Incarnation: 9}), ErrRefused, 9, "too old"},
		"an endless one": {wire.AppendLength(nil, 1<<30), ErrNoHello, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			sh := &Shared{Limits: limits.Default(), Times: DefaultTimes(), Ctx: t.Context()}
			near, far := net.Pipe()
			defer near.Close()
			heard := make(chan error, 1)
			go func() {
				defer far.Close()
				_, theirs, err := sh.ReadHello(pipeStream{undated{far}})
				if err == nil && (theirs.Incarnation != 1 || theirs.Unix == 0) {
					err = fmt.Errorf("the other end reads %+v", theirs)
				}
				heard <- err
				far.Write(tt.answer)
			}()
			_, theirs, err := sh.Exchange(pipeStream{undated{near}}, &wire.Hello{Protocol: wire.Protocol, Incarnation: 1})
			if !errors.Is(err, tt.want) || tt.want == nil && theirs.Incarnation != hello.Incarnation {
				t.Errorf("got %+v, %v, want %v", theirs, err, tt.want)
			}
			over, _ := errors.AsType[*OverError](err)
			if tt.known > 0 && (over == nil || over.Known != tt.known || over.Error() != ErrRefused.Error()+": "+tt.why) {
				t.Errorf("the refusal is %v, want that it knows incarnation %d", err, tt.known)
			}
			if refused, _ := errors.AsType[*RefusedError](err); tt.known == 0 && tt.why != "" && (refused == nil || refused.Error() != ErrRefused.Error()+": "+tt.why) {
				t.Errorf("the refusal is %v", err)
			}
			if err := <-heard; err != nil {
				t.Error(err)
			}
		})
	}
}
