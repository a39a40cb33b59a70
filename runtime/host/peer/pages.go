package peer

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/pprof"
	"slices"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/httpguard"
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
	Waiting   int           `json:"waiting"` // bytes for it that it has not acknowledged
	Error     string        `json:"error,omitempty"`
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
}

func (h *host) report() *report {
	r := &report{Name: h.name(), Program: h.program.Name, Fingerprint: fmt.Sprintf("%x", h.program.Fingerprint), Build: h.program.BuildID,
		Kernels: h.config.KernelLevel, Limits: limitsText(&h.limits), Uptime: time.Since(h.began), Status: h.status(), Stats: h.node.Stats(),
		Emitted: slices.Clone(h.told), telemetry: *h.node.Telemetry()}
	r.Counters, r.Records = h.counted()
	for _, l := range h.sorted() {
		s := PeerStatus{Name: h.nameOf(l.ID), ID: l.ID, Up: l.up, Since: l.since, RoundTrip: l.rtt, Skew: l.skew, In: l.received.Load(), Out: l.sent.Load(),
			Waiting: h.node.Unacknowledged(l.ID)}
		if l.err != nil {
			s.Error = l.err.Error()
		}
		r.Peers = append(r.Peers, s)
	}
	return r
}

// pageAddress is where -http serves: a port alone is on loopback.
func pageAddress(s string) string {
	if host, port, err := net.SplitHostPort(s); err == nil && host == "" {
		return net.JoinHostPort("127.0.0.1", port)
	} else if err != nil && !strings.Contains(s, ":") {
		return net.JoinHostPort("127.0.0.1", s)
	}
	return s
}

// idlePages is how long a browser may keep a connection without asking for anything.
const idlePages = time.Minute

// openPages serves the pages of -http.
func (h *host) openPages(io.Writer) error {
	if h.options.HTTP == "" {
		return nil
	}
	l, err := net.Listen("tcp", pageAddress(h.options.HTTP))
	if err != nil {
		return fmt.Errorf("-http: %w", err)
	}
	local := httpguard.IsLocal(l)
	h.pages = &http.Server{Handler: h.mux(local), ReadHeaderTimeout: h.times.hello, MaxHeaderBytes: 16 << 10, IdleTimeout: idlePages}
	guarded := httpguard.Guard(h.pages, l, max(h.budget.pages, 1))
	h.log.Info("pages", "url", "http://"+l.Addr().String(), "pprof", local)
	go h.pages.Serve(guarded)
	return nil
}

// mux is the pages. Those on loopback are for who asks for this machine by its own name.
func (h *host) mux(local bool) http.Handler {
	m := http.NewServeMux()
	page := func(path, kind string, write func(io.Writer, *report)) {
		m.HandleFunc("GET "+path, func(w http.ResponseWriter, q *http.Request) {
			answer := make(chan *report, 1)
			h.post(func() { answer <- h.report() })
			select {
			case r := <-answer:
				w.Header().Set("Content-Type", kind)
				write(w, r)
			case <-h.ctx.Done():
				http.Error(w, "the peer has stopped", http.StatusServiceUnavailable)
			case <-q.Context().Done():
			}
		})
	}
	page("/{$}", "text/html; charset=utf-8", writePage)
	page("/metrics", "text/plain; version=0.0.4", writeMetrics)
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
