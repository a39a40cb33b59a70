package otlp

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Process describes the peer whose spans are exported.
type Process struct {
	Self     wire.PeerID
	Began    time.Time                // when the time of its node was 0
	Name     func(wire.PeerID) string // the name of a peer; called by [Exporter.Add]
	Resource []Attribute              // of all its spans, unless the configuration has other values
}

// The limits of an exporter, as in the specification of OpenTelemetry's batching processor.
const (
	maxQueue = 2048            // spans that wait
	maxBatch = 512             // spans in a request
	maxDelay = 5 * time.Second // until a span is sent
)

// Exporter sends spans to a collector. Spans that it has no room for are dropped and counted: the peer never
// waits for it.
type Exporter struct {
	process  Process
	config   Config
	resource []byte
	client   *http.Client
	log      *slog.Logger

	queue   chan []byte   // encoded spans
	closing chan struct{} // closed by End
	ended   chan struct{} // closed when the goroutine has ended
	ctx     context.Context
	cancel  context.CancelFunc
	wait    func(time.Duration) // between attempts; for tests
	failing bool                // the last request failed

	sent, dropped atomic.Uint64
}

// Start starts the exporter of a process.
func Start(c Config, p Process, log *slog.Logger) *Exporter {
	x := newExporter(c, p, log)
	go x.run()
	return x
}

func newExporter(c Config, p Process, log *slog.Logger) *Exporter {
	x := &Exporter{process: p, config: c, log: log, resource: appendResource(nil, c.resource(p.Resource)),
		client: &http.Client{Timeout: c.Timeout, CheckRedirect: stay, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: maxAnswer}},
		queue:  make(chan []byte, maxQueue), closing: make(chan struct{}), ended: make(chan struct{})}
	x.ctx, x.cancel = context.WithCancel(context.Background())
	x.wait = x.pause
	return x
}

// stay keeps a client from following redirects: the headers of a request may hold secrets.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Add queues a span, unless its trace is not among those that are exported. It does not block. It must not be
// called after End.
func (x *Exporter) Add(s *runtime.Span) {
	at := placeOf(x.process.Self, s)
	if !at.trace.isSampled(x.config.Ratio) {
		return
	}
	select {
	case x.queue <- x.process.appendSpan(nil, &at, s):
	default:
		x.dropped.Add(1)
	}
}

// Counts returns how many spans the collector has taken, and how many were dropped. It is safe for concurrent
// use.
func (x *Exporter) Counts() (sent, dropped uint64) { return x.sent.Load(), x.dropped.Load() }

// End sends what is queued, with one attempt for each request, and ends the exporter within a time. No connection remains.
func (x *Exporter) End(within time.Duration) {
	close(x.closing)
	late := time.AfterFunc(within, x.cancel)
	<-x.ended
	late.Stop()
	x.cancel()
	x.client.CloseIdleConnections()
	if sent, dropped := x.Counts(); dropped > 0 {
		x.log.Warn("spans were dropped", "dropped", dropped, "sent", sent)
	}
}

// run sends batches until the exporter ends.
func (x *Exporter) run() {
	defer close(x.ended)
	for more := true; more; {
		var batch [][]byte
		if batch, more = x.collect(); len(batch) > 0 {
			x.export(batch)
		}
	}
}

// collect returns the next batch: when it is full, or maxDelay after its first span. It reports whether there may
// be more.
func (x *Exporter) collect() (batch [][]byte, more bool) {
	var due <-chan time.Time
	for len(batch) < maxBatch {
		select {
		case s := <-x.queue:
			if batch = append(batch, s); due == nil {
				due = time.After(maxDelay)
			}
		case <-due:
			return batch, true
		case <-x.closing:
			return x.rest(batch)
		}
	}
	return batch, true
}

// rest adds queued spans to a batch without waiting.
func (x *Exporter) rest(batch [][]byte) (_ [][]byte, more bool) {
	for len(batch) < maxBatch {
		select {
		case s := <-x.queue:
			batch = append(batch, s)
		default:
			return batch, false
		}
	}
	return batch, true
}

// maxAttempts is how often a batch is sent before it is dropped: the waits between are about a minute in all, if
// the collector does not ask for longer ones.
const maxAttempts = 7

// export sends a batch, again as long as the collector cannot take it for the moment.
func (x *Exporter) export(batch [][]byte) {
	body := appendRequest(nil, x.resource, batch)
	for attempt := 1; ; attempt++ {
		r := x.post(body)
		if r.err == nil {
			x.took(len(batch), &r)
			return
		}
		if !r.again || attempt == maxAttempts || x.isClosing() {
			x.dropped.Add(uint64(len(batch)))
			x.fails(r.err)
			return
		}
		x.fails(r.err)
		x.wait(max(r.after, backoff(attempt)))
	}
}

// took counts a batch that the collector has taken, maybe without some spans that it has rejected.
func (x *Exporter) took(spans int, r *result) {
	rejected := min(r.rejected, uint64(spans))
	x.dropped.Add(rejected)
	x.sent.Add(uint64(spans) - rejected)
	if r.warning != "" {
		x.log.Warn("the collector has rejected spans", "endpoint", x.where(), "rejected", rejected, "err", r.warning)
	}
	if x.failing {
		x.failing = false
		x.log.Info("the collector takes spans again", "endpoint", x.where())
	}
}

// fails logs an error, unless the request before failed as well.
func (x *Exporter) fails(err error) {
	if !x.failing {
		x.failing = true
		x.log.Warn("spans cannot be sent", "endpoint", x.where(), "err", err)
	}
}

func (x *Exporter) isClosing() bool {
	select {
	case <-x.closing:
		return true
	default:
		return false
	}
}

// pause waits, or until the exporter ends.
func (x *Exporter) pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-x.closing:
	}
}

// backoff returns how long to wait after a number of attempts: 1 s, 2 s, 4 s up to 30 s, or up to half of it less,
// so that peers do not come all at once.
func backoff(attempts int) time.Duration {
	d := min(time.Second<<(attempts-1), 30*time.Second)
	return d - rand.N(d/2)
}
