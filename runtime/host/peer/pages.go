package peer

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/pprof"
	"slices"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/httpguard"
	"github.com/bbgen/bbgen/runtime/host/live"
	"github.com/bbgen/bbgen/runtime/wire"
)

// PeerStatus is how the peer sees another one.
type PeerStatus struct {
	Name      string        `json:"name"`
	ID        wire.PeerID   `json:"id"`
	Up        bool          `json:"up"`
	Since     time.Time     `json:"since"` // of the last connection
	RoundTrip time.Duration `json:"round_trip_ns"`
	Skew      time.Duration `json:"clock_skew_ns"` // by which its clock is ahead
	In        int64         `json:"in"`
	Out       int64         `json:"out"`
	InRate    float64       `json:"in_rate"` // bytes in the last second
	OutRate   float64       `json:"out_rate"`
	Waiting   int           `json:"waiting"` // bytes for it that it has not acknowledged
	Error     string        `json:"error,omitempty"`
	Trouble   string        `json:"trouble,omitempty"` // why it is missing, or how it is slow
}

// report is all that the pages tell.
type report struct {
	Name        string        `json:"name"`
	Program     string        `json:"program"`
	Fingerprint string        `json:"fingerprint"`
	Build       string        `json:"build,omitempty"`
	Kernels     string        `json:"kernels"`
	Limits      string        `json:"limits"`
	Uptime      time.Duration `json:"uptime_ns"`
	Status      *Status       `json:"status"`
	Stats       runtime.Stats `json:"stats"`
	Peers       []PeerStatus  `json:"peers"`
	Emitted     []Number      `json:"emitted,omitempty"`  // what the program gave to its host last
	Counters    []Number      `json:"counters,omitempty"` // of the program
	Records     []Number      `json:"records,omitempty"`

	telemetry runtime.Telemetry
	history   *history
}

func (h *host) report() *report {
	r := &report{Name: h.name(), Program: h.program.Name, Fingerprint: fmt.Sprintf("%x", h.program.Fingerprint), Build: h.program.BuildID,
		Kernels: h.config.KernelLevel, Limits: limitsText(&h.limits), Uptime: time.Since(h.began), Status: h.status(), Stats: h.node.Stats(),
		Emitted: slices.Clone(h.told), telemetry: *h.node.Telemetry(), history: h.history.clone()}
	r.Counters, r.Records = h.counted()
	troubles := h.troubles()
	for _, l := range h.sorted() {
		s := PeerStatus{Name: h.nameOf(l.ID), ID: l.ID, Up: l.up, Since: l.since, RoundTrip: l.rtt, Skew: l.skew, In: l.received.Load(), Out: l.sent.Load(), InRate: l.inRate, OutRate: l.outRate,
			Trouble: troubles[l.ID], Waiting: h.node.Unacknowledged(l.ID)}
		if l.err != nil {
			s.Error = l.err.Error()
		}
		r.Peers = append(r.Peers, s)
	}
	return r
}

// idlePages is how long a browser may keep a connection without asking for anything.
const idlePages = time.Minute

// openPages serves the pages of -http.
func (h *host) openPages(io.Writer) error {
	if h.options.HTTP == "" {
		return nil
	}
	l, err := net.Listen("tcp", live.Address(h.options.HTTP))
	if err != nil {
		return fmt.Errorf("-http: %w", err)
	}
	h.history = &history{}
	local := httpguard.IsLocal(l)
	h.pages = &http.Server{Addr: l.Addr().String(), Handler: h.mux(local), ReadHeaderTimeout: h.times.hello, MaxHeaderBytes: 16 << 10, IdleTimeout: idlePages}
	guarded := httpguard.Guard(h.pages, l, max(h.budget.pages, 1))
	h.log.Info("pages", "url", "http://"+l.Addr().String(), "pprof", local)
	go h.pages.Serve(guarded)
	return nil
}

// askReport asks the loop for a report; nil if it has ended, or nobody waits for it any more.
func (h *host) askReport(ctx context.Context) *report {
	answer := make(chan *report, 1)
	h.post(func() { answer <- h.report() })
	select {
	case r := <-answer:
		return r
	case <-h.ctx.Done():
	case <-ctx.Done():
	}
	return nil
}

// livePage is what the page shows now.
func (h *host) livePage(ctx context.Context) (*live.Page, string) {
	if r := h.askReport(ctx); r != nil {
		return r.page(), ""
	}
	return nil, ""
}

// mux is the pages. Those on loopback are for who asks for this machine by its own name.
func (h *host) mux(local bool) http.Handler {
	m := http.NewServeMux()
	page := func(path, kind string, write func(io.Writer, *report)) {
		m.HandleFunc("GET "+path, func(w http.ResponseWriter, q *http.Request) {
			r := h.askReport(q.Context())
			if r == nil {
				http.Error(w, "the peer has stopped", http.StatusServiceUnavailable)
				return
			}
			w.Header().Set("Content-Type", kind)
			write(w, r)
		})
	}
	live.Handle(m, max(h.budget.pages/4, 1), h.livePage)
	page("/metrics", "text/plain; version=0.0.4", writeMetrics)
	page("/healthz", "text/plain; charset=utf-8", func(w io.Writer, _ *report) { io.WriteString(w, "ok\n") })
	page("/status", "application/json", func(w io.Writer, r *report) { json.NewEncoder(w).Encode(r) })
	if local {
		m.HandleFunc("/debug/pprof/", pprof.Index)
		m.HandleFunc("/debug/pprof/profile", pprof.Profile)
		m.HandleFunc("/debug/pprof/trace", pprof.Trace)
		m.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		m.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		return httpguard.Names(m)
	}
	return m
}
