package peer

import (
	"fmt"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer/status"
)

// report returns the data of the pages.
func (h *host) report() *status.Report {
	r := &status.Report{Name: h.name(), Program: h.program.Name, Fingerprint: fmt.Sprintf("%x", h.program.Fingerprint), Build: h.program.BuildID,
		Kernels: h.config.KernelLevel, Limits: limitsText(&h.limits), Uptime: time.Since(h.began), Status: h.status(), Stats: h.node.Stats(),
		Emitted: h.told.All(), Telemetry: *h.node.Telemetry(), History: h.history.Clone(), Picture: h.picture(), Spans: h.spans(), Token: h.pageToken}
	r.Counters, r.Records = status.Counted(h.stores)
	troubles := h.troubles()
	for _, l := range h.sorted() {
		s := status.PeerStatus{Name: h.nameOf(l.ID), ID: l.ID, Up: h.node.IsUp(l.ID), Since: l.since, RoundTrip: l.rtt, Skew: l.skew, In: l.received.Load(), Out: l.sent.Load(), InRate: l.inRate, OutRate: l.outRate,
			Trouble: troubles[l.ID], Waiting: h.node.Unacknowledged(l.ID)}
		if l.err != nil {
			s.Error = l.err.Error()
		}
		r.Peers = append(r.Peers, s)
	}
	return r
}
