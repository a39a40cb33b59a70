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
	"sync/atomic"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/feed"
	"github.com/bbgen/bbgen/runtime/host/follow"
	"github.com/bbgen/bbgen/runtime/host/machine"
	"github.com/bbgen/bbgen/runtime/host/otlp"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/output"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/spool"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/status"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// host drives a node. Only the goroutine that runs loop uses its fields, except where noted.
type host struct {
	program   Program
	options   *Options
	config    runtime.Config
	key       ed25519.PrivateKey
	proofs    map[wire.PeerID][]byte // proofs of invitations, by issuer
	strangers []wire.Address         // addresses of peers to be trusted on first contact
	looks     bool                   // it belongs to a doctor: it records nothing
	limits    runtime.Limits
	times     times
	transport Transport
	members   *trust.Members
	disk      disk.FS
	machine   machine.Machine
	budget    budget
	threads   int        // that compute
	parallel  int        // parallel streams, of all connections
	state     *state.Dir // nil: no state is kept
	spool     *spool.Spool
	events    *output.Events
	out       *output.Files
	pages     *http.Server    // nil: none
	pageToken string          // that they require; "": none
	traces    *otlp.Exporter  // nil: none
	history   *status.History // for the page; nil: no pages
	measured  time.Time       // when its bytes were counted last
	stated    int64           // when its status was written last
	storm     *storm          // nil: none
	upgrader  upgrader
	feed      *feed.Feed // nil: none
	ungiven   []string   // inputs that nobody can give: the host is a command line, and has no files for them
	calls     follow.Calls
	part      *runtime.Partition // nil: it is not made yet
	stores    []runtime.Store
	receives  []string // the classes whose peers send to this one
	progress  progress
	told      status.Numbers // the last numbers that the program has given to its host
	log       *slog.Logger
	ctx       context.Context // done when the host ends
	cancel    context.CancelFunc

	node      *runtime.Node
	began     time.Time
	mail      *mailbox
	links     map[wire.PeerID]*link
	streams   atomic.Int64 // the number of links with a connection
	admitted  sync.Map     // the keys of links, for other goroutines
	undecided *conversation.Undecided
	logLimits logLimits
	clock     clock
	collected uint64   // the part of the node's dropped bytes that was collected
	stalled   []*batch // batches for which the node had no room
	task      task
	hello     wire.Hello

	running  bool          // from the node's phase
	started  bool          // Program.Start was called, or is not needed
	ready    chan struct{} // closed when the program runs and has started; then nil
	stopping bool
	leaving  bool   // the next snapshot is the last
	unsaved  string // why the latest snapshot could not be written; "": it was
	retries  int    // consecutive attempts to write one
	done     bool
	err      error
	round    uint64 // the number of its own execution that ended last
	latest   uint64 // of all executions that ended here
}

// times are the time limits of a host.
type times struct {
	dial, hello, stall time.Duration
	ping               time.Duration // between pings
	grace              time.Duration // for executions to end when the host is told to stop
	drain              time.Duration // for the last messages to be read
	greetings          int           // streams whose Hello has not come yet
}

func defaultTimes() times {
	return times{dial: 10 * time.Second, hello: 10 * time.Second, stall: 30 * time.Second,
		ping: time.Second, drain: time.Second / 2, grace: 10 * time.Second, greetings: 256}
}

// now returns the node's time.
func (h *host) now() int64 { return int64(time.Since(h.began)) }

// post makes the loop call do.
func (h *host) post(do func()) { h.mail.post(&note{do: do}) }

// ask makes the loop call do, and waits for it. It returns false if the host has ended.
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

// collect returns the memory of very large dropped values to the system before new ones are allocated.
// Otherwise the garbage collector would wait for as much garbage as there is memory in use, and larger values
// would not fit into the gaps.
func (h *host) collect() {
	if dropped := h.node.Dropped(); dropped > h.collected {
		h.collected = dropped
		debug.FreeOSMemory()
	}
}

// poll carries out the node's outputs. It reports whether the node yielded with more to do.
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
			l.conn.close()
		}
	case runtime.Fetch:
		h.fetch(o.Peer, o.Bulk)
	case runtime.Load:
		h.load(o.Peer, o.Value)
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
		return // it is sent again on the next connection
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
	h.spread(c)
	if c.dialed && c.bulk == nil && slices.ContainsFunc(e.Fills, func(f wire.SlotFill) bool { return f.Bulk.ID != 0 }) {
		h.openBulk(c)
	}
}

// resume tells the node to continue when the queued data of a stream have been written.
func (h *host) resume(c *conn) {
	if c.link.conn == c {
		h.node.Resume(h.now(), c.link.ID)
	}
}

// command runs a task outside of the loop.
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

// protect runs a task. A panic of a kernel, because data do not fit, fails only the task.
func protect(t runtime.Task) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = runtime.Recovered("command", r)
		}
	}()
	return t.Do()
}

// lendFrom is the size in bytes from which on an envelope is lent to the node: it is read in place, and the
// batch has to wait for that.
const lendFrom = 16 << 10

// deliver delivers a batch of envelopes to the node. If the node has no room, the rest of the batch waits,
// and so do later messages of the peer, as the reader has no other memory. It reports whether the node
// accepted an envelope, or the batch is finished.
func (h *host) deliver(b *batch) (progress bool) {
	at := 0
	if b.next > 0 {
		at = b.ends[b.next-1]
	}
	for b.next < len(b.ends) {
		if b.c.link.conn != b.c { // the channel has ended: the peer sends its messages again
			b.next = len(b.ends)
			break
		}
		err := error(runtime.ErrIngressFull)
		if !b.c.stalled { // otherwise it would overtake earlier ones
			err = h.hand(b, b.buf[at:b.ends[b.next]])
		}
		if errors.Is(err, runtime.ErrIngressFull) {
			b.c.stalled = true
			h.stalled = append(h.stalled, b)
			return progress
		}
		if err != nil {
			h.log.Warn("envelope refused", "peer", b.c.link.ID, "err", err)
			b.c.close()
			b.next = len(b.ends)
			break
		}
		at = b.ends[b.next]
		b.next++
		progress = true
	}
	h.spread(b.c)
	b.release()
	return true
}

// hand passes an envelope of a batch to the node. Envelopes with counted memory are lent with that memory. Of
// the two batches of a connection only one is lent at a time: otherwise a node that is busy with a snapshot
// or a command would stop the reader, which would miss the peer's pings.
func (h *host) hand(b *batch, envelope []byte) error {
	from := b.c.link.ID
	switch {
	case b.memory != nil && len(b.ends) == 1:
		err := h.node.Lend(h.now(), from, envelope, b.memory, b.memory.Release)
		if err == nil {
			b.buf, b.memory = nil, nil // the reader allocates other memory
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

// retryStalled delivers batches for which the node had no room, and reports whether it accepted any envelope.
func (h *host) retryStalled() bool {
	if len(h.stalled) == 0 {
		return false
	}
	list := h.stalled
	h.stalled = nil
	for _, b := range list {
		b.c.stalled = false
	}
	progress := false
	for _, b := range list {
		progress = h.deliver(b) || progress
	}
	return progress
}

// fail ends the host with an error.
func (h *host) fail(err error) {
	if h.err == nil {
		h.err = err
	}
	h.done = true
}

// underWay is the limit of executions and unacknowledged envelopes of the peer up to which it begins another
// execution: enough to keep the later peers of a pipeline busy.
const underWay = 8

// feedMore begins the next execution that -in asks for, if there is room. Bootstraps that wait for files come
// first.
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

// ping sends pings, and does what else is to be done once per interval.
func (h *host) ping() {
	now := h.now()
	for _, l := range h.links {
		if c := l.conn; c != nil {
			h.node.SetHeartbeat(l.ID, int64(c.heartbeat()))
			if c.quiet(now) {
				c.askPing(now)
			}
			h.fetchDeferred(l)
		}
	}
	if now-h.stated > int64(h.heartbeat())*3/4 {
		h.stated = now
		h.statusLine("status")
	}
	h.progress.tellAwaited(h)
	h.progress.tellBlocked(h)
	h.countTraffic(time.Now())
	h.out.Retry()
	h.watchClock()
	h.upgrader.look(h)
}

// pong handles the answer to a ping. The peer's time in it is that of the middle of the round trip.
func (h *host) pong(c *conn, p wire.Ping) {
	l := c.link
	if l.conn != c {
		return
	}
	now := h.now()
	l.rtt = time.Duration(max(now-int64(p.ID), 0))
	if c.rtt == 0 || l.rtt < c.rtt {
		c.rtt = l.rtt
	}
	h.spread(c)
	l.skew = time.Duration(int64(p.Unix) + int64(l.rtt)/2 - time.Now().UnixNano())
	h.node.Alive(now, l.ID)
}

// close ends all streams when queued data are written.
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
	h.endTraces(h.times.grace)
	h.lastLine()
	h.events.End(h.times.grace)
}

// refused records that a peer was refused.
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

// isAdmitted reports whether a peer may take part. It is safe for concurrent use.
func (h *host) isAdmitted(id wire.PeerID) bool {
	_, ok := h.admitted.Load(id)
	return ok
}

// linkTo returns the link to a peer that the node has admitted, also if a component has admitted it at run
// time; nil for others.
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

// places returns the addresses of a peer: first those of the configuration, then those that the program has
// recorded, the latest first.
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
