package peer

import (
	"fmt"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/status"
	"github.com/bbgen/bbgen/runtime/wire"
)

// report returns the data of the pages.
func (h *host) report() *status.Report {
	r := &status.Report{Name: h.name(), Program: h.program.Name, Fingerprint: fmt.Sprintf("%x", h.program.Fingerprint), Build: h.program.BuildID,
		Kernels: h.config.KernelLevel, Limits: limitsText(&h.Limits), Uptime: time.Since(h.Began), Status: h.status(), Stats: h.node.Stats(),
		Emitted: h.told.All(), Telemetry: *h.node.Telemetry(), History: h.history.Clone(), Picture: h.picture(), Spans: h.spans(), Token: h.pageToken}
	r.Counters, r.Records = status.Counted(h.stores)
	troubles := h.troubles()
	for _, l := range h.sorted() {
		s := status.PeerStatus{Name: h.nameOf(l.ID), ID: l.ID, Up: h.node.IsUp(l.ID), Since: l.since, RoundTrip: l.rtt, Skew: l.skew, In: l.Received.Load(), Out: l.Sent.Load(), InRate: l.inRate, OutRate: l.outRate,
			Trouble: troubles[l.ID], Waiting: h.node.Unacknowledged(l.ID)}
		if l.err != nil {
			s.Error = l.err.Error()
		}
		r.Peers = append(r.Peers, s)
	}
	return r
}

// status returns the status of the peer.
func (h *host) status() *status.Status {
	stats := h.node.Stats()
	s := &status.Status{ID: h.config.Self.String(), State: "waiting", Completed: h.round, Latest: h.latest, Live: stats.Live, Outbound: stats.Outbound, Addresses: h.transport.Addresses()}
	switch {
	case h.stopping:
		s.State = "stopping"
	case h.running && h.started:
		s.State = "running"
	}
	for _, l := range h.sorted() {
		s.In += l.Received.Load()
		s.Out += l.Sent.Load()
		if !h.node.IsUp(l.ID) {
			s.Missing = append(s.Missing, h.nameOf(l.ID))
		}
	}
	if !h.started {
		s.Apart = h.apart()
	}
	if h.pages != nil {
		s.Pages = h.pagesURL()
	}
	s.Waits, s.Unsaved = h.waits(longWait), h.unsaved
	s.Idle, s.Ungiven = s.State == "running" && h.node.IsIdle() && h.node.UnreportedResults() == 0, h.ungiven
	s.Rounds, s.Awaited = h.progress.ended, h.awaits()
	s.Fed, s.Unanswered = h.started && h.feed.Any() && h.feed.Over(), h.feed.Unanswered()
	return s
}

// statusLine writes the status of the peer, as a line of a kind.
func (h *host) statusLine(kind string) {
	if h.events != nil {
		l := status.Line{Kind: kind, Status: h.status()}
		if h.pages != nil { // then somebody watches: a picture is larger than all other lines of a second
			l.Picture = h.picture()
		}
		h.line(l, nil)
	}
}

// pagesURL returns the address to open in a browser.
func (h *host) pagesURL() string { return status.WithToken("http://"+h.pages.Addr+"/", h.pageToken) }

// apart says why other peers cannot be reached, for the first of them.
func (h *host) apart() (list []string) {
	troubles := h.troubles()
	for _, l := range h.sorted() {
		if !h.node.IsUp(l.ID) && len(list) < maxWaits {
			why := strings.Join(strings.Fields(troubles[l.ID]), " ") // an error may have several lines
			list = append(list, h.nameOf(l.ID)+": "+why)
		}
	}
	return list
}

// slow is how long a connected peer may be silent or awaited before the page reports it.
const slow = 2 * time.Second

// troubles describes the problems of peers: why a peer is missing, or in what way it is slow.
func (h *host) troubles() map[wire.PeerID]string {
	out := map[wire.PeerID]string{}
	now := h.Now()
	for id, l := range h.links {
		switch isUp := h.node.IsUp(id); {
		case !isUp && l.err != nil:
			out[id] = l.err.Error()
		case !isUp && l.since.IsZero():
			out[id] = "it has not been here yet"
		case !isUp:
			out[id] = "it is gone"
		case l.conn != nil:
			if silent := l.conn.Silent(now); silent > max(slow, 2*l.conn.Heartbeat()) {
				out[id] = fmt.Sprintf("silent for %v", silent.Round(time.Second))
			}
		}
	}
	h.node.Waits(func(w *runtime.Wait) bool {
		if since := time.Duration(now - w.Since); since > slow {
			for _, id := range w.Peers {
				if _, ok := out[id]; !ok {
					out[id] = fmt.Sprintf("%s of %s waits for it for %v", w.Cut, w.Module, since.Round(time.Second))
				}
			}
		}
		return true
	})
	return out
}
