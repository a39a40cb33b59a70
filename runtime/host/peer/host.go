package peer

import (
	"context"
	"crypto/ed25519"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/fault"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/feed"
	"github.com/bbgen/bbgen/runtime/host/follow"
	"github.com/bbgen/bbgen/runtime/host/internal/mailbox"
	"github.com/bbgen/bbgen/runtime/host/machine"
	"github.com/bbgen/bbgen/runtime/host/otlp"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/output"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/spool"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/status"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/limits"
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
	looks     bool                   // it runs no program, see [newObserver]
	limits    limits.Limits
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
	mail      *mailbox.Mailbox
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
func (h *host) post(do func()) { h.mail.Post(mailbox.NewNote(do)) }

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
		h.mail.Run()
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
		case <-h.mail.Wake():
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
			err = fault.Recovered("command", r)
		}
	}()
	return t.Do()
}
