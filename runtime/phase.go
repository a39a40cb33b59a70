package runtime

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/internal/ledger"
)

// phase is the stage of the Node's life. It never decreases.
type phase uint8

const (
	phaseStarting  phase = iota
	phaseBootstrap       // modules with Bootstrap run, those with inputs when the host invokes them; fills for other modules are held
	phaseRunning
	phaseStopping // no execution begins any more
	phaseStopped
)

var phaseNames = [...]string{"starting", "bootstrap", "running", "stopping", "stopped"}

func (p phase) String() string {
	if int(p) < len(phaseNames) {
		return phaseNames[p]
	}
	return fmt.Sprintf("phase(%d)", p)
}

// Stop lets executions end and begins no more: a loop of this peer ends with its present round, for good. A host that wants
// its loops to go on after a restart takes a snapshot instead, see [Node.RequestCheckpoint]. Messages that would begin one are reported as refused and not
// acknowledged: their senders send them again when the peer has restarted. When all executions have ended and all that they
// sent is acknowledged, or left to the next incarnation of a peer that is stopping, too, a Phase event reports "stopped".
func (n *Node) Stop(now int64) {
	n.advance(now)
	if n.phase < phaseStopping {
		n.enter(phaseStopping)
		n.reexamine = true // a cycle checks whether any work is left
		n.endPauses()
	}
}

func (n *Node) enter(p phase) {
	n.phase = p
	n.queueEvent(Event{Kind: Phase, Name: p.String()})
}

// advancePhase advances the phase when its condition is met.
func (n *Node) advancePhase() {
	if n.phase == phaseStarting {
		n.enter(phaseBootstrap)
		for i := range n.modules {
			if m := &n.modules[i]; m.Bootstrap && len(m.Inputs) == 0 {
				if f := n.open(m, new(n.begun.Next()), nil); f != nil {
					n.begin(f)
				}
			}
		}
	}
	if n.phase == phaseBootstrap && n.first == nil && len(n.unbooted) == 0 {
		n.enter(phaseRunning)
		n.startTimers()
		if !n.config.Hold {
			n.launch()
		}
		n.readEarly()
	}
	n.reopen()
	if n.phase == phaseStopping && n.isIdle() {
		n.phase = phaseStopped
		n.queueForModules(Event{Kind: Phase, Name: n.phase.String()})
	}
	if n.phase == phaseStopped && !n.over && n.isIdle() {
		n.over = true
		n.queueForHost(Event{Kind: Phase, Name: n.phase.String()})
	}
}

// isIdle reports whether no work is left. It becomes true again when modules that begin with the last phase
// have run; then the host gets an event.
func (n *Node) isIdle() bool {
	return n.first == nil && n.owesNothing() && n.reports.results.Len()+len(n.reports.bus) == 0
}

// owesNothing reports whether no envelope waits for the present incarnation of its receiver. A blocked peer is sent none.
func (n *Node) owesNothing() bool {
	return n.ledger.Used(ledger.Envelopes) == 0 || !slices.ContainsFunc(n.roster, func(p *peer) bool { return !p.blocked && !p.outbox.IsReleased() })
}

func (n *Node) startTimers() {
	for i := range n.modules {
		if d := n.modules[i].Every; d > 0 {
			n.setTick(i)
		}
	}
}

// launch begins the modules that run from the start. Their inputs are the initial values of frames: zero.
func (n *Node) launch() {
	for i := range n.modules {
		m := &n.modules[i]
		if !m.Start {
			continue
		}
		if f := n.open(m, new(n.begun.Next()), nil); f != nil {
			n.begin(f)
			for _, c := range m.Inputs {
				n.arrive(f, c)
			}
		}
	}
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
					if f := n.open(m, new(n.begun.Next()), nil); f != nil {
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
