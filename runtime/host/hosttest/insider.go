package hosttest

import (
	"bufio"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// insider is an admitted client of a server that misbehaves repeatedly, until it is told to stop.
type insider struct {
	hostile
	update runtime.Edge
	stop   chan struct{}
	over   chan struct{}
	seq    uint64
}

// misdeeds are the actions of an insider on one connection, until that ends.
var misdeeds = []struct {
	name string
	do   func(i *insider, c *talk)
}{
	{"silent", func(i *insider, c *talk) { i.converse(c, func(wire.ExecID) {}) }},
	{"late", func(i *insider, c *talk) {
		i.converse(c, func(x wire.ExecID) { i.answer(c, x, 80*time.Millisecond, 1) })
	}},
	{"not finite", func(i *insider, c *talk) { i.converse(c, func(x wire.ExecID) { i.answer(c, x, 0, math.NaN()) }) }},
	{"twice", func(i *insider, c *talk) {
		i.converse(c, func(x wire.ExecID) { i.answer(c, x, 0, 1); i.answer(c, x, 0, 2) })
	}},
	{"executions that nobody has begun", func(i *insider, c *talk) { go c.pour(i.asks(1000), 1000); c.drain() }},
	{"executions that are over", func(i *insider, c *talk) {
		i.converse(c, func(x wire.ExecID) {
			for range 50 {
				i.answer(c, x, 0, 1)
			}
		})
	}},
	{"pings", func(i *insider, c *talk) {
		go c.pour(frames(wire.AppendPing(nil, wire.Ping{ID: 1 << 60})), 1000)
		c.drain()
	}},
	{"nonsense", func(i *insider, c *talk) { c.send([]byte("nonsense")); c.drain() }},
	{"hellos", func(i *insider, c *talk) {}},
	{"promises", func(i *insider, c *talk) {
		for k := range uint64(100) {
			c.send(i.ask(k+1, k+1, func(e *wire.Envelope) {
				e.Fills[0].Payload, e.Fills[0].Bulk = nil, wire.Bulk{ID: k + 1, Size: 4 << 20}
				e.Fills[0].Dims = []uint64{4 << 20 / 8}
			}))
		}
		c.drain()
	}},
}

// drain reads until the stream ends.
func (c *talk) drain() {
	for c.receive() != nil {
	}
}

// begin starts the misbehavior.
func (i *insider) begin(do func(i *insider, c *talk)) {
	go func() {
		defer close(i.over)
		for {
			select {
			case <-i.stop:
				return
			default:
			}
			c, err := i.meet()
			if err != nil {
				time.Sleep(time.Millisecond)
				continue
			}
			go func() {
				<-i.stop
				c.Close()
			}()
			do(i, c)
			c.Close()
		}
	}()
}

// end waits until it has ended.
func (i *insider) end() {
	close(i.stop)
	<-i.over
}

// meet exchanges Hellos, if the server accepts it.
func (i *insider) meet() (*talk, error) {
	addresses := i.pong.addresses()
	id, _ := addresses[0].Peer()
	s, err := i.tr.Dial(i.t.Context(), id, addresses, peer.EnvelopeStream)
	if err != nil {
		return nil, err
	}
	c := &talk{i.t, s, bufio.NewReader(s)}
	hello := i.hello()
	hello.Fingerprint, hello.Classes = handmade.Client(nil).Fingerprint, []string{"client"}
	c.send(wire.AppendHello(nil, &hello))
	limits := wire.Default()
	theirs, err := wire.ConsumeHello(c.receive(), &limits)
	if err == nil && theirs.Refusal != "" {
		err = fmt.Errorf("refused: %s", theirs.Refusal)
	}
	if err != nil {
		s.Close()
	}
	i.seq = 0
	return c, err
}

// converse gives signs of life, and calls asked for each request.
func (i *insider) converse(c *talk, asked func(x wire.ExecID)) {
	limits := wire.Default()
	for b := c.receive(); b != nil; b = c.receive() {
		if wire.IsPing(b) {
			if p, err := wire.ConsumePing(b); err == nil && !p.Answer {
				c.send(wire.AppendPing(nil, wire.Ping{ID: p.ID, Answer: true, Unix: p.Unix}))
			}
			continue
		}
		var e wire.Envelope
		if wire.ConsumeEnvelope(&e, b, &limits) != nil {
			return
		}
		if len(e.Fills) > 0 {
			c.send(wire.AppendEnvelope(nil, &wire.Envelope{Ack: e.Seq}))
			asked(e.Exec)
		}
	}
}

// answer answers a request some time later.
func (i *insider) answer(c *talk, x wire.ExecID, later time.Duration, v float64) {
	time.Sleep(later)
	i.seq++
	var payload []byte
	for range 2 {
		payload = appendFloat(payload, v)
	}
	c.send(wire.AppendEnvelope(nil, &wire.Envelope{Exec: x, Seq: i.seq, Fills: []wire.SlotFill{{
		Suffix: wire.AppendSite(nil, i.update.ID), Type: i.update.Type, Payload: payload, Dims: []uint64{2}}}}))
}

// Insiders measures rounds of a server and three honest clients, two of which are a quorum, without an insider,
// and with one or two of each kind. It also measures rounds of four honest clients, as an insider is asked in
// each round, too.
//
// The server is a separate process, to measure its processor time for each round. The insider runs beside the
// honest clients: if there are fewer processors than peers, its work to encrypt and send its attack slows down
// all of them.
func Insiders(b *testing.B, create New, listen string) {
	k := &kit{create: create, listen: listen}
	b.Run("none", func(b *testing.B) { k.besieged(b, 3, nil, 0) })
	b.Run("none of four", func(b *testing.B) { k.besieged(b, 4, nil, 0) })
	for _, m := range misdeeds {
		for n := 1; n <= 2; n++ {
			b.Run(fmt.Sprintf("%d/%s", n, m.name), func(b *testing.B) { k.besieged(b, 3, m.do, n) })
		}
	}
}

// besieged runs rounds of some honest clients, of which two are a quorum, while insiders misbehave.
func (k *kit) besieged(b *testing.B, honest int, do func(i *insider, c *talk), insiders int) {
	serverKey, server := member(b, "server", 0)
	var keys []string
	var all []peer.Member
	for rank := range honest + insiders {
		file, m := member(b, "client", rank)
		keys, all = append(keys, file), append(all, m)
	}
	s := startServer(b, "-key", serverKey, "-peers", peersFile(b, all...), "-listen", k.listen, "-await", fmt.Sprint("client=", honest))
	server.Addresses = s.addresses()
	for rank := range honest {
		start(b, k.client(rank), "-key", keys[rank], "-rank", fmt.Sprint(rank), "-peers", peersFile(b, server), "-grace", "10ms") // the server ends first
	}
	first := s.await("a round", func(l peer.Line) bool { return l.Kind == "emitted" }).Round
	for rank := honest; rank < honest+insiders; rank++ {
		i := &insider{hostile: hostile{t: b, tr: k.bareKey(b, keys[rank], false), id: all[rank].ID, pong: &s.node},
			update: updateEdge(), stop: make(chan struct{}), over: make(chan struct{})}
		i.edge.x = updateEdge()
		i.begin(do)
		defer i.end()
	}
	from := s.await("the first of the rounds", func(l peer.Line) bool { return l.Kind == "emitted" && l.Round > first+50 })
	last := s.await("the last of the rounds", func(l peer.Line) bool { return l.Kind == "emitted" && l.Round >= from.Round+uint64(b.N) })
	took := last.Time.Sub(from.Time)
	b.ReportMetric(float64(last.Round-from.Round)/took.Seconds(), "rounds/s")
	b.ReportMetric(float64(s.spent().Microseconds())/float64(last.Round), "server-cpu-µs/round")
}

// updateEdge returns the edge on which clients answer.
func updateEdge() runtime.Edge { return handmade.Server(1, 1, 1).Edges[1] }
