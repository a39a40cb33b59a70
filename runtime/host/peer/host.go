package peer

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/feed"
	"github.com/bbgen/bbgen/runtime/host/follow"
	"github.com/bbgen/bbgen/runtime/host/machine"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/output"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/spool"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/status"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// host drives a node. All but what says otherwise belongs to the goroutine that
// runs loop.
type host struct {
	program   Program
	options   *Options
	config    runtime.Config
	key       ed25519.PrivateKey
	proofs    map[wire.PeerID][]byte // of invitations, by issuer
	strangers []wire.Address         // to be trusted, the first time
	looks     bool                   // it is a doctor's: it writes nothing down
	limits    runtime.Limits
	times     times
	transport Transport
	members   *trust.Members
	disk      disk.FS
	machine   machine.Machine
	budget    budget
	state     *state.Dir // nil: nothing is kept
	spool     *spool.Spool
	events    *output.Events
	out       *output.Files
	pages     *http.Server    // nil: none
	pageToken string          // that they ask for; "": none
	history   *status.History // for the page; nil: there are none
	measured  time.Time       // when its bytes were counted last
	storm     *storm          // nil: none
	upgrader  upgrader
	feed      *feed.Feed // nil: none
	calls     follow.Calls
	stores    []runtime.Store
	receives  []string // the classes whose peers send to this one
	progress  progress
	told      status.Numbers // what the program has given to its host last
	log       *slog.Logger
	ctx       context.Context // ends with the host
	cancel    context.CancelFunc

	node      *runtime.Node
	began     time.Time
	mail      *mailbox
	links     map[wire.PeerID]*link
	admitted  sync.Map // the keys of links, for other goroutines
	undecided *conversation.Undecided
	logLimits logLimits
	clock     clock
	collected uint64   // of what the node has dropped
	stalled   []*batch // that the node had no room for
	task      task
	hello     wire.Hello

	running  bool          // the node's phase
	started  bool          // Program.Start was called, or need not be
	ready    chan struct{} // closed when the program runs and has started; nil after that
	stopping bool
	leaving  bool   // the next snapshot is the last
	unsaved  string // why the latest snapshot could not be written; "": it could
	retries  int    // in a row, to write one
	done     bool
	err      error
	round    uint64 // the execution of its own that ended last
	latest   uint64 // of all that ended here
}

// times are how long a host waits for things outside.
type times struct {
	dial, hello, stall time.Duration
	ping               time.Duration // between signs of life that are asked for
	grace              time.Duration // that executions have to end when the host is told to stop
	drain              time.Duration // for what was said last to be heard
	greetings          int           // streams whose Hello has not come yet
}

func defaultTimes() times {
	return times{dial: 10 * time.Second, hello: 10 * time.Second, stall: 30 * time.Second,
		ping: time.Second, drain: time.Second / 2, grace: 10 * time.Second, greetings: 256}
}

// now is the node's time.
func (h *host) now() int64 { return int64(time.Since(h.began)) }

// post has the loop do something.
func (h *host) post(do func()) { h.mail.post(&note{do: do}) }

// ask has the loop do something, and waits for it. It is false when the host has ended.
func (h *host) ask(do func()) bool {
	done := make(chan struct{})
	h.post(func() {
		do()
		close(done)
	})
	select {
	case <-done:
		return true
	case <-h.ctx.Done():
		return false
	}
}

// run drives the node until it has stopped.
func (h *host) run(ctx context.Context) error {
	defer h.cancel()
	h.hello, h.undecided, h.logLimits = h.node.Hello(), conversation.NewUndecided(h.times.greetings), logLimits{}
	h.hello.Introduces = true
	h.clock = clock{began: time.Now()}
	go h.accept()
	for _, l := range h.links {
		if l.keep() {
			h.dial(l)
		}
	}
	for _, a := range h.strangers {
		go h.meet(a, h.hello)
	}
	stop := context.AfterFunc(ctx, func() { h.post(h.stop) })
	defer stop()
	pings := time.NewTicker(h.times.ping)
	defer pings.Stop()
	wake := time.NewTimer(0)
	defer wake.Stop()
	for {
		h.mail.run()
		yielded := h.poll()
		if h.finish() {
			break
		}
		if yielded || h.feedMore() {
			continue
		}
		h.collect()
		if at, ok := h.node.WakeAt(); ok {
			wake.Reset(time.Duration(max(at-h.now(), 0)))
		}
		select {
		case <-h.mail.wake:
		case <-wake.C:
		case <-pings.C:
			h.ping()
		}
	}
	h.close()
	return h.err
}

// collect gives the memory of very large values that were dropped back to the
// system, before others take their place: by itself the collector would wait for
// as much garbage as there is memory in use, and larger values would not fit into
// the gaps.
func (h *host) collect() {
	if dropped := h.node.Dropped(); dropped > h.collected {
		h.collected = dropped
		debug.FreeOSMemory()
	}
}

// poll carries out what the node wants. It reports whether there is more to do
// after others have had their turn.
func (h *host) poll() (yielded bool) {
	for !h.done {
		o, ok := h.node.Poll(h.now())
		if !ok {
			if h.retryStalled() {
				continue
			}
			return false
		}
		if o.Kind == runtime.Yield {
			h.retryStalled()
			return true
		}
		h.do(o)
	}
	return false
}

func (h *host) do(o runtime.Output) {
	switch o.Kind {
	case runtime.Send:
		h.send(o.Peer, o.Envelope)
	case runtime.Dial:
		if l := h.linkTo(o.Peer); l != nil {
			h.dial(l)
		}
	case runtime.Hangup:
		if l := h.links[o.Peer]; l != nil && l.conn != nil {
			l.conn.s.Close()
		}
	case runtime.Fetch:
		h.fetch(o.Peer, o.Bulk)
	case runtime.Run:
		h.command(o.Command, o.Task)
	case runtime.Checkpoint:
		h.checkpoint()
	case runtime.Tell:
		h.tell(*o.Event)
	}
}

func (h *host) send(to wire.PeerID, e *wire.Envelope) {
	l := h.links[to]
	if l == nil || l.conn == nil {
		return // it goes out again on the next connection
	}
	c := l.conn
	if e.Seq > 0 {
		l.waste.Asked()
	}
	send := c.send
	if h.storm != nil {
		send = func(e *wire.Envelope) bool { return h.storm.send(c, e) }
	}
	if send(e) && c.out.Pausing() {
		h.node.Pause(to)
	}
	if c.dialled && c.bulk == nil && slices.ContainsFunc(e.Fills, func(f wire.SlotFill) bool { return f.Bulk.ID != 0 }) {
		h.openBulk(c)
	}
}

// resume lets the node go on when what waited for a stream has been written.
func (h *host) resume(c *conn) {
	if c.link.conn == c {
		h.node.Resume(h.now(), c.link.ID)
	}
}

// command runs a task beside the loop.
func (h *host) command(id runtime.CommandID, t runtime.Task) {
	go func() {
		err := protect(t)
		h.post(func() {
			if err := h.node.Complete(h.now(), id, err); err != nil {
				h.fail(err)
			}
		})
	}()
}

// protect runs a task. Kernels panic when data do not fit, and that fails the
// task alone.
func protect(t runtime.Task) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = runtime.Recovered("command", r)
		}
	}()
	return t.Do()
}

// lendFrom is from how many bytes on an envelope is lent to the node: it is read
// where it is, and the batch has to wait for that.
const lendFrom = 16 << 10

// deliver gives the node what a peer has sent. What it has no room for stays, and
// so does all that the peer sends after it: the reader has no other memory to read
// into. It reports whether the node took any, or all is done with.
func (h *host) deliver(b *batch) (progress bool) {
	at := 0
	if b.next > 0 {
		at = b.ends[b.next-1]
	}
	for b.next < len(b.ends) {
		if b.c.link.conn != b.c { // the channel is over: what was on it comes again
			b.next = len(b.ends)
			break
		}
		err := h.hand(b, b.buf[at:b.ends[b.next]])
		if errors.Is(err, runtime.ErrIngressFull) {
			h.stalled = append(h.stalled, b)
			return progress
		}
		if err != nil {
			h.log.Warn("envelope refused", "peer", b.c.link.ID, "err", err)
			b.c.s.Close()
			b.next = len(b.ends)
			break
		}
		at = b.ends[b.next]
		b.next++
		progress = true
	}
	b.release()
	return true
}

// hand gives the node an envelope of a batch. One of large values is handed over with its
// memory. Of others it never has something of both batches: a node that takes its time,
// for a snapshot or a command, keeps nobody from reading the peer's signs of life.
func (h *host) hand(b *batch, envelope []byte) error {
	from := b.c.link.ID
	switch {
	case b.memory != nil && len(b.ends) == 1:
		err := h.node.Lend(h.now(), from, envelope, b.memory, b.memory.Release)
		if err == nil {
			b.buf, b.memory = nil, nil // the reader takes other memory
		}
		return err
	case len(envelope) < lendFrom || b.memory != nil || b.twin.lent > 0:
		return h.node.Deliver(h.now(), from, envelope)
	}
	err := h.node.Lend(h.now(), from, envelope, nil, b.read)
	if err == nil {
		b.lent++
	}
	return err
}

// retryStalled delivers what did not fit before, and reports whether any did.
func (h *host) retryStalled() bool {
	if len(h.stalled) == 0 {
		return false
	}
	list := h.stalled
	h.stalled = nil
	progress := false
	for _, b := range list {
		progress = h.deliver(b) || progress
	}
	return progress
}

// fail ends the host for a reason of its own.
func (h *host) fail(err error) {
	if h.err == nil {
		h.err = err
	}
	h.done = true
}

// underWay is how many executions and envelopes of the peer there may be when it
// begins one more: enough to keep those behind it busy, and no more than fit.
const underWay = 8

// feedMore begins the next execution that -in asks for, if there is room. What waits for
// files before all else comes first.
func (h *host) feedMore() (began bool) {
	if h.stopping {
		return false
	}
	began, err := h.feed.Boot(h.node, h.now())
	if err == nil && !began && h.started {
		began, err = h.feed.Begin(h.node, h.now(), underWay)
	}
	if err != nil {
		h.fail(err)
	}
	return began
}

// ping asks for signs of life.
func (h *host) ping() {
	for _, l := range h.links {
		if l.conn != nil {
			l.conn.askPing(h.now())
			h.fetchDeferred(l)
		}
	}
	h.statusLine("status")
	h.progress.tellAwaited(h)
	h.countTraffic(time.Now())
	h.out.Retry()
	h.watchClock()
	h.upgrader.look(h)
}

// pong takes an answer. The peer wrote its time half way there and back.
func (h *host) pong(c *conn, p wire.Ping) {
	l := c.link
	if l.conn != c {
		return
	}
	now := h.now()
	l.heard = now
	l.rtt = time.Duration(max(now-int64(p.ID), 0))
	l.skew = time.Duration(int64(p.Unix) + int64(l.rtt)/2 - time.Now().UnixNano())
	h.node.Alive(now, l.ID)
}

// close ends all streams when what waits has been written.
func (h *host) close() {
	var left sync.WaitGroup
	for _, l := range h.links {
		if c := l.conn; c != nil {
			left.Go(c.drain)
		}
	}
	drained := make(chan struct{})
	go func() {
		left.Wait()
		close(drained)
	}()
	select {
	case <-drained:
	case <-time.After(h.times.drain):
	}
	if err := h.transport.Close(); err != nil {
		h.log.Warn("closing the transport", "err", err)
	}
	h.statusLine("status")
	if err := h.out.End(h.times.grace); err != nil && h.err == nil {
		h.err = err
	}
	h.lastLine()
	h.events.End(h.times.grace)
}

// refused notes that a peer may not talk.
func (h *host) refused(id wire.PeerID, err error) {
	c := complaint{kind: "refused"}
	if h.links[id] != nil {
		c.peer = id
	}
	dropped, ok := h.logLimits.pass(c, time.Now())
	if !ok {
		return
	}
	h.log.Warn("peer refused", "peer", id, "err", err, "left out", dropped)
	h.line(status.Line{Kind: "refused", From: h.nameOf(id), Error: err.Error(), Dropped: dropped}, nil)
}

// sorted returns the links by class and rank.
func (h *host) sorted() []*link {
	return slices.SortedFunc(maps.Values(h.links), func(a, b *link) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Rank, b.Rank), a.ID.Compare(b.ID))
	})
}

func (h *host) linkOf(c runtime.PeerConfig) *link {
	l := h.links[c.ID]
	if l == nil {
		l = &link{}
		h.links[c.ID] = l
		h.admitted.Store(c.ID, true)
	}
	l.PeerConfig = c
	return l
}

// isAdmitted reports whether a peer may take part. Any goroutine may ask.
func (h *host) isAdmitted(id wire.PeerID) bool {
	_, ok := h.admitted.Load(id)
	return ok
}

// linkTo is the link to a peer that the node has admitted, be it that a component did
// while it runs; nil for others.
func (h *host) linkTo(id wire.PeerID) *link {
	if l := h.links[id]; l != nil {
		return l
	}
	class, rank, ok := h.node.ClassOf(id)
	if !ok || id == h.config.Self {
		return nil
	}
	h.log.Info("peer admitted by the program", "peer", id, "class", class, "rank", rank)
	return h.linkOf(runtime.PeerConfig{ID: id, Class: class, Rank: rank})
}

// places are where a peer may be reached: where the configuration says, which nobody's
// word takes away, and then what the program has heard, the latest first.
func (h *host) places(l *link) []wire.Address {
	list := slices.Clone(l.Addresses)
	for _, a := range slices.Backward(h.node.Address(l.ID)) {
		if !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list
}

// allow admits a peer while the host runs.
func (h *host) allow(c runtime.PeerConfig) error {
	if err := h.node.Allow(c); err != nil {
		return fmt.Errorf("admit %v: %w", c.ID, err)
	}
	h.linkOf(c)
	h.log.Info("peer admitted", "peer", c.ID, "class", c.Class, "rank", c.Rank)
	return nil
}
