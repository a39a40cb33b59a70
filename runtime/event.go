package runtime

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// EventKind is the kind of an [Event].
type EventKind uint8

// The kinds of events. Each comment lists the fields that are set beside Kind and At.
const (
	Emitted     EventKind = iota // a module gave a value to the host: Module, Name, Exec, Value
	Finished                     // an execution's frame ended: Module, Exec, Peer; Err if a block failed
	Failed                       // a block failed or cannot run: Module, Name, Exec, Peer, Err
	Missing                      // a peer's fill was not received in time: Module, Name, Exec, Peer, Since
	Late                         // a fill came after its execution's end: Exec, Peer, Edge
	Refused                      // a fill or envelope was refused: Peer, Edge, Exec, Err
	PeerUp                       // a peer is connected or responds again: Peer
	PeerSuspect                  // a peer has been silent for unusually long: Peer, Since
	PeerDown                     // a peer is considered dead: Peer, Since, Err
	Overflow                     // a queue or table was full: Name; N is how often so far
	Phase                        // the node's phase changed: Name
	Published                    // a module published to a topic: Module, Name, Exec
	Short                        // a round has no quorum: Module, Name, Exec, Err, a *ShortError
	numKinds
)

var kindNames = [numKinds]string{"emitted", "finished", "failed", "missing", "late", "refused", "peer up", "peer suspect",
	"peer down", "overflow", "phase", "published", "short"}

func (k EventKind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return fmt.Sprintf("EventKind(%d)", k)
}

// An Event reports something that happened. It is reported once.
type Event struct {
	Kind   EventKind
	At     int64
	Module string
	Name   string
	Exec   wire.ExecID
	Peer   wire.PeerID
	Edge   wire.EdgeID
	Since  int64
	N      uint64
	Err    error
	Value  tensor.Value
}

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

// route opens an execution of each module that waits for an event. Events that these executions cause are
// routed in the next Poll.
func (n *Node) route() {
	if len(n.reports.bus) == 0 {
		return
	}
	batch := n.reports.batch()
	for _, e := range batch {
		for i := range n.modules {
			m := &n.modules[i]
			for _, k := range m.On {
				if k == e.Kind && m.Name != e.Module && (m.Named == "" || m.Named == e.Name) {
					if f := n.open(m, new(n.NewExecution()), nil); f != nil {
						cause := e
						f.cause = &cause
						n.begin(f)
					}
				}
			}
		}
	}
	clear(batch)
}

// Publish reports an event under a topic to the host, and to modules that wait for Published events. Topic is a
// constant of the program.
func (n *Node) Publish(f *Frame, topic string) {
	n.queueEvent(Event{Kind: Published, Module: f.module.Name, Name: topic, Exec: f.exec})
}

// Emit gives a value of an execution to the host, which may keep it.
func (n *Node) Emit(f *Frame, name string, v tensor.Value) {
	n.queueEvent(Event{Kind: Emitted, Module: f.module.Name, Name: name, Exec: f.exec, Value: v})
}

// Topics of round loops. The engine publishes LoopBegun itself, for the host only. The block that begins no
// further round publishes LoopDone.
const (
	LoopBegun = "begun"
	LoopDone  = "done"
)
