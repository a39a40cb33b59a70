package runtime

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/telemetry"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// queueEvent queues an event for the host and for the modules that wait for its kind.
func (n *Node) queueEvent(e Event) {
	n.queueForHost(e)
	n.queueForModules(e)
}

// queueForHost queues an event for the host, either now or when its cause is durable.
func (n *Node) queueForHost(e Event) {
	e.At = n.now
	n.reports.toHost(e, n.checkpoint.Epoch())
}

// queueForModules queues an event for the modules that wait for its kind.
func (n *Node) queueForModules(e Event) {
	e.At = n.now
	n.reports.toModules(e)
}

// overflow reports that a table was full.
func (n *Node) overflow(what string) {
	n.stats.Overflows++
	n.queueEvent(Event{Kind: Overflow, Name: what, N: n.stats.Overflows})
}

// reportResults reports to the host the results with a durable snapshot.
func (n *Node) reportResults() {
	if n.reports.release(n.checkpoint.IsDurable) {
		n.checkpoint.Await()
	}
}

// UnreportedResults returns how many results wait for a snapshot before they are reported to the host.
func (n *Node) UnreportedResults() int { return n.reports.results.Len() }

// refuse reports that a message of a peer was refused.
func (n *Node) refuse(p *peer, x wire.ExecID, e wire.EdgeID, err error) {
	n.stats.Refused++
	n.queueEvent(Event{Kind: Refused, Peer: p.id, Exec: x, Edge: e, N: 1, Err: err})
}

// Publish reports an event under a topic to the host, and to modules that wait for Published events. Topic is a
// constant of the program.
func (e *Engine) Publish(f *Frame, topic string) {
	e.node().queueEvent(Event{Kind: Published, Module: f.module.Name, Name: topic, Exec: f.exec})
}

// MaxTopic is the maximum length of a topic of [Node.Notify], in bytes.
const MaxTopic = 64

// Notify is for components: in a method that takes the Node, it reports an event under a topic to the host, with a value
// or nil, and to modules that wait for Published events. The event belongs to the execution of the call. It is a result
// like an output: with [Config.Durable] it waits for the snapshot that holds its cause, and the host gets it at least once.
// It is also reported if the method fails afterwards. The value is copied; its size is at most that of a payload in a
// message, [wire.Limits.Fill].
//
// A command runs beside the Node and must not call it. Its results can be passed to the host by the program.
func (n *Node) Notify(topic string, value *tensor.Tensor) error {
	f := n.running
	switch {
	case f == nil:
		return fmt.Errorf("notify %q: no method that the program calls is running", topic)
	case topic == LoopBegun || topic == LoopDone:
		return fmt.Errorf("notify %q: loops of rounds send events of that name, want another one", topic)
	case topic == "" || len(topic) > MaxTopic || strings.ContainsFunc(topic, isNoTopic):
		return fmt.Errorf("notify %.80q: want a topic of 1 to %d letters, digits and characters other than dots and spaces", topic, MaxTopic)
	}
	e := Event{Kind: Published, Module: f.module.Name, Name: topic, Exec: f.exec}
	if value != nil {
		if err := checkNotice(value, n.limits.Wire.Fill); err != nil {
			return fmt.Errorf("notify %q: %w", topic, err)
		}
		e.Value = value.Clone()
	}
	n.queueEvent(e)
	return nil
}

// isNoTopic reports whether a character must not be in a topic: hosts write a topic behind a module's name and a dot.
func isNoTopic(c rune) bool { return c == '.' || !unicode.IsGraphic(c) || unicode.IsSpace(c) }

// stringHead is the size of a string without its bytes.
const stringHead = 16

// checkNotice returns an error if a value is larger than limit bytes.
func checkNotice(t *tensor.Tensor, limit int) error {
	size := 0
	if t.DType == tensor.String {
		for _, s := range tensor.Data[string](t) {
			size += stringHead + len(s)
		}
	} else {
		size = len(t.Bytes())
	}
	if size > limit {
		return fmt.Errorf("a value of %d bytes, want at most %d", size, limit)
	}
	return nil
}

// Emit gives a value of an execution to the host, which may keep it.
func (e *Engine) Emit(f *Frame, name string, v tensor.Value) {
	e.node().queueEvent(Event{Kind: Emitted, Module: f.module.Name, Name: name, Exec: f.exec, Value: v})
}

// Stats are counters since the Node was made.
type Stats struct {
	Frames, Blocks, Fills, Envelopes, Sent, Resent uint64
	Duplicates, Late, Refused, Missing, Failures   uint64
	Overflows, EventsLost, EnvelopesLost           uint64
	Withdrawn                                      uint64
	IngressFull, PeersDown, Abandoned, Yields      uint64

	// Live and Outbound are not counters: the present numbers of frames and of unacknowledged envelopes.
	Live, Outbound int
}

// Stats returns the counters.
func (n *Node) Stats() Stats {
	s := n.stats
	s.EventsLost = n.reports.lost
	s.Live, s.Outbound = int(n.ledger.Used(ledger.Frames)), int(n.ledger.Used(ledger.Envelopes))
	return s
}

// Flow is what a Node has sent and received on an edge since it was made. A value for several peers counts once for
// each. Collectives are not among it.
type Flow struct {
	Fills int64
	Bytes int64 // of their payloads
}

func (f *Flow) add(bytes int64) {
	f.Fills++
	f.Bytes += bytes
}

// Flows returns the flow of each edge of the partition, which the host may read until the next call.
func (n *Node) Flows() []Flow { return n.flows }

// Telemetry returns the measurements of the Node, which the host may read until the next call.
func (n *Node) Telemetry() *telemetry.Telemetry { return &n.telemetry }
