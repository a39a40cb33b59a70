package peer

import (
	"fmt"
	"io"
	goruntime "runtime"
	"strings"
)

// writeMetrics writes the report in Prometheus's text format.
func writeMetrics(w io.Writer, r *report) {
	head := func(name, kind, help string) { fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind) }
	one := func(name, kind, help string, v any) {
		head(name, kind, help)
		fmt.Fprintf(w, "%s %v\n", name, v)
	}
	head("bbgen_info", "gauge", "What the peer is; always 1.")
	fmt.Fprintf(w, "bbgen_info{name=\"%s\",program=\"%s\",fingerprint=\"%s\",build=\"%s\",kernels=\"%s\"} 1\n",
		label(r.Name), label(r.Program), r.Fingerprint, label(r.Build), r.Kernels)
	one("bbgen_uptime_seconds", "gauge", "Since the peer was started.", r.Uptime.Seconds())
	one("bbgen_round", "gauge", "The execution of its own that ended last.", r.Status.Completed)
	s := &r.Stats
	one("bbgen_executions", "gauge", "Executions that live.", s.Live)
	one("bbgen_outbound", "gauge", "Envelopes that are not acknowledged.", s.Outbound)
	for _, c := range []struct {
		name, help string
		v          uint64
	}{
		{"frames", "Frames opened.", s.Frames}, {"blocks", "Blocks run.", s.Blocks}, {"fills", "Fills taken.", s.Fills},
		{"envelopes", "Envelopes taken.", s.Envelopes}, {"sent", "Envelopes sent.", s.Sent}, {"resent", "Envelopes sent again.", s.Resent},
		{"duplicates", "Envelopes and fills that came before.", s.Duplicates}, {"late", "Fills that came too late.", s.Late},
		{"refused", "What was not let in.", s.Refused}, {"missing", "Fills that did not come.", s.Missing},
		{"failures", "Blocks that failed.", s.Failures}, {"overflows", "Tables that were full.", s.Overflows},
		{"events_lost", "Events that nobody took.", s.EventsLost}, {"envelopes_lost", "Envelopes that there was no room for.", s.EnvelopesLost},
		{"ingress_full", "Envelopes that had to wait at the door.", s.IngressFull}, {"peers_down", "Peers taken for dead.", s.PeersDown},
		{"abandoned", "Commands whose execution was over.", s.Abandoned}, {"yields", "Polls that used up their budget.", s.Yields},
	} {
		one("bbgen_"+c.name+"_total", "counter", c.help, c.v)
	}
	writePeerMetrics(w, r, head)
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	one("go_goroutines", "gauge", "Goroutines.", goruntime.NumGoroutine())
	one("go_memstats_heap_inuse_bytes", "gauge", "Bytes of the heap in use.", m.HeapInuse)
	one("go_memstats_sys_bytes", "gauge", "Bytes from the system.", m.Sys)
}

func writePeerMetrics(w io.Writer, r *report, head func(name, kind, help string)) {
	each := func(name, kind, help string, v func(p *PeerStatus) any) {
		head(name, kind, help)
		for i := range r.Peers {
			fmt.Fprintf(w, "%s{peer=\"%s\"} %v\n", name, label(r.Peers[i].Name), v(&r.Peers[i]))
		}
	}
	each("bbgen_peer_up", "gauge", "Whether the peer can be heard.", func(p *PeerStatus) any {
		if p.Up {
			return 1
		}
		return 0
	})
	each("bbgen_peer_round_trip_seconds", "gauge", "To the peer and back.", func(p *PeerStatus) any { return p.RoundTrip.Seconds() })
	each("bbgen_peer_received_bytes_total", "counter", "From the peer.", func(p *PeerStatus) any { return p.In })
	each("bbgen_peer_sent_bytes_total", "counter", "To the peer.", func(p *PeerStatus) any { return p.Out })
}

// label escapes what may not stand in the value of a label.
func label(s string) string { return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) }
