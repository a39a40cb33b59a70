package status

import (
	"fmt"
	"io"
	goruntime "runtime"
	"strings"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/telemetry"
)

// counters are the counters of a node.
var counters = []struct {
	name, help string
	of         func(*runtime.Stats) uint64
}{
	{"frames", "Frames opened.", func(s *runtime.Stats) uint64 { return s.Frames }},
	{"blocks", "Blocks run.", func(s *runtime.Stats) uint64 { return s.Blocks }},
	{"fills", "Fills taken.", func(s *runtime.Stats) uint64 { return s.Fills }},
	{"envelopes", "Envelopes taken.", func(s *runtime.Stats) uint64 { return s.Envelopes }},
	{"sent", "Envelopes sent.", func(s *runtime.Stats) uint64 { return s.Sent }},
	{"resent", "Envelopes sent again.", func(s *runtime.Stats) uint64 { return s.Resent }},
	{"duplicates", "Envelopes and fills that came before.", func(s *runtime.Stats) uint64 { return s.Duplicates }},
	{"late", "Fills that came too late.", func(s *runtime.Stats) uint64 { return s.Late }},
	{"refused", "Messages that were refused.", func(s *runtime.Stats) uint64 { return s.Refused }},
	{"missing", "Fills that did not come.", func(s *runtime.Stats) uint64 { return s.Missing }},
	{"failures", "Blocks that failed.", func(s *runtime.Stats) uint64 { return s.Failures }},
	{"overflows", "Tables that were full.", func(s *runtime.Stats) uint64 { return s.Overflows }},
	{"events_lost", "Events that the host did not read in time.", func(s *runtime.Stats) uint64 { return s.EventsLost }},
	{"envelopes_lost", "Envelopes that there was no room for.", func(s *runtime.Stats) uint64 { return s.EnvelopesLost }},
	{"withdrawn", "Envelopes that were taken back: the execution ended before the peer heard of it.", func(s *runtime.Stats) uint64 { return s.Withdrawn }},
	{"ingress_full", "Envelopes that waited for room in the queue of what has come.", func(s *runtime.Stats) uint64 { return s.IngressFull }},
	{"peers_down", "Peers taken for dead.", func(s *runtime.Stats) uint64 { return s.PeersDown }},
	{"abandoned", "Commands whose execution was over.", func(s *runtime.Stats) uint64 { return s.Abandoned }},
	{"yields", "Polls that used up their budget.", func(s *runtime.Stats) uint64 { return s.Yields }},
}

// measures are the histograms of a node. Their buckets are powers of two; every second one from 1<<low to
// 1<<high is written.
var measures = []struct {
	name, unit, short, help string
	low, high               int
	of                      func(*telemetry.Telemetry) *telemetry.Histogram
}{
	{"ack", "seconds", "acknowledgement", "From sending an envelope to its acknowledgement.", 14, 36, func(t *telemetry.Telemetry) *telemetry.Histogram { return &t.RTT }},
	{"gather", "seconds", "gather", "From the opening of a gather to its end.", 14, 42, func(t *telemetry.Telemetry) *telemetry.Histogram { return &t.Gather }},
	{"fill", "bytes", "payload", "Payloads that came.", 4, 30, func(t *telemetry.Telemetry) *telemetry.Histogram { return &t.Fill }},
}

// exposition writes metrics in Prometheus's text format.
type exposition struct{ w io.Writer }

func (x exposition) head(name, kind, help string) {
	fmt.Fprintf(x.w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

func (x exposition) one(name, kind, help string, v any) {
	x.head(name, kind, help)
	fmt.Fprintf(x.w, "%s %v\n", name, v)
}

// numbers writes a gauge or counter for each name. An empty list has no header.
func (x exposition) numbers(name, kind, help string, list []Number) {
	if len(list) == 0 {
		return
	}
	x.head(name, kind, help)
	for _, n := range list {
		fmt.Fprintf(x.w, "%s{name=\"%s\"} %v\n", name, label(n.Name), n.Value)
	}
}

// histogram writes the buckets of a histogram cumulatively: how many quantities are no more than each bound.
func (x exposition) histogram(name, unit, help string, low, high int, h *telemetry.Histogram) {
	name = "bbgen_" + name + "_" + unit
	x.head(name, "histogram", help)
	scale := 1.0
	if unit == "seconds" {
		scale = 1e9
	}
	seen, at := uint64(0), 0
	for i := low; i <= high; i += 2 {
		for ; at <= i; at++ {
			seen += h.Buckets[at]
		}
		fmt.Fprintf(x.w, "%s_bucket{le=\"%g\"} %d\n", name, float64(uint64(1)<<i-1)/scale, seen)
	}
	fmt.Fprintf(x.w, "%s_bucket{le=\"+Inf\"} %d\n%s_sum %v\n%s_count %d\n", name, h.Count, name, float64(h.Sum)/scale, name, h.Count)
}

// writeMetrics writes the report in Prometheus's text format.
func writeMetrics(w io.Writer, r *Report) {
	x := exposition{w}
	x.head("bbgen_info", "gauge", "What the peer is; always 1.")
	fmt.Fprintf(w, "bbgen_info{name=\"%s\",program=\"%s\",fingerprint=\"%s\",build=\"%s\",kernels=\"%s\"} 1\n",
		label(r.Name), label(r.Program), r.Fingerprint, label(r.Build), r.Kernels)
	x.one("bbgen_uptime_seconds", "gauge", "Since the peer was started.", r.Uptime.Seconds())
	x.one("bbgen_round", "gauge", "The latest execution that ended here, of any initiator.", r.Status.Latest)
	x.one("bbgen_completed", "gauge", "The execution of its own that ended last.", r.Status.Completed)
	x.one("bbgen_executions", "gauge", "Executions that live.", r.Stats.Live)
	x.one("bbgen_outbound_envelopes", "gauge", "Envelopes that are not acknowledged.", r.Stats.Outbound)
	for _, c := range counters {
		x.one("bbgen_"+c.name+"_total", "counter", c.help, c.of(&r.Stats))
	}
	for _, m := range measures {
		x.histogram(m.name, m.unit, m.help, m.low, m.high, m.of(&r.Telemetry))
	}
	x.numbers("bbgen_emitted", "gauge", "The last number that the program gave to its host.", r.Emitted)
	x.numbers("bbgen_program_count", "gauge", "What the program has counted.", r.Counters)
	x.numbers("bbgen_program_record", "gauge", "The mean of what the program has recorded last.", r.Records)
	if r.Spans != nil {
		x.one("bbgen_spans_sent_total", "counter", "Spans that the collector has taken.", r.Spans.Sent)
		x.one("bbgen_spans_dropped_total", "counter", "Spans that there was no room for, or that the collector did not take.", r.Spans.Dropped)
	}
	x.peers(r)
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	x.one("go_goroutines", "gauge", "Goroutines.", goruntime.NumGoroutine())
	x.one("go_memstats_heap_inuse_bytes", "gauge", "Bytes of the heap in use.", m.HeapInuse)
	x.one("go_memstats_sys_bytes", "gauge", "Bytes from the system.", m.Sys)
}

// peers writes the metrics of each other peer.
func (x exposition) peers(r *Report) {
	each := func(name, kind, help string, v func(p *PeerStatus) any) {
		x.head(name, kind, help)
		for i := range r.Peers {
			fmt.Fprintf(x.w, "%s{peer=\"%s\"} %v\n", name, label(r.Peers[i].Name), v(&r.Peers[i]))
		}
	}
	each("bbgen_peer_up", "gauge", "Whether the peer can be heard.", func(p *PeerStatus) any {
		if p.Up {
			return 1
		}
		return 0
	})
	each("bbgen_peer_round_trip_seconds", "gauge", "To the peer and back.", func(p *PeerStatus) any { return p.RoundTrip.Seconds() })
	each("bbgen_peer_clock_skew_seconds", "gauge", "By which the peer's clock is ahead.", func(p *PeerStatus) any { return p.Skew.Seconds() })
	each("bbgen_peer_received_bytes_total", "counter", "From the peer.", func(p *PeerStatus) any { return p.In })
	each("bbgen_peer_sent_bytes_total", "counter", "To the peer.", func(p *PeerStatus) any { return p.Out })
	each("bbgen_peer_outbound_bytes", "gauge", "Payloads that the peer has not acknowledged.", func(p *PeerStatus) any { return p.Waiting })
}

// label escapes the characters that must not occur in the value of a label.
func label(s string) string { return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) }
