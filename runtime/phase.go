package runtime

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/wire"
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

// Stop lets executions end and begins no more. Messages that would begin one are reported as refused and not
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
				if f := n.open(m, new(n.NewExecution()), nil); f != nil {
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

// owesNothing reports whether no envelope waits for the present incarnation of its receiver.
func (n *Node) owesNothing() bool {
	return n.ledger.Used(ledger.Envelopes) == 0 || !slices.ContainsFunc(n.roster, func(p *peer) bool { return !p.outbox.IsReleased() })
}

func (n *Node) startTimers() {
	for i := range n.modules {
		if d := n.modules[i].Every; d > 0 {
			n.setTick(i)
		}
	}
}

// Launch begins the modules that run from the start, if [Config.Hold] delayed them. The Node must be running.
func (n *Node) Launch(now int64) {
	n.advance(now)
	n.launch()
}

// launch begins the modules that run from the start. Their inputs are the initial values of frames: zero.
func (n *Node) launch() {
	for i := range n.modules {
		m := &n.modules[i]
		if !m.Start {
			continue
		}
		if f := n.open(m, new(n.NewExecution()), nil); f != nil {
			n.begin(f)
			for _, c := range m.Inputs {
				n.arrive(f, c)
			}
		}
	}
}

// tooEarly reports whether an envelope has a fill for a module that may not run before the end of the
// bootstrap.
func (n *Node) tooEarly(e *wire.Envelope) bool {
	for i := range e.Fills {
		id, _ := wire.ConsumeSite(e.Fills[i].Suffix)
		if at, ok := n.edges.Get(container.HashEdge(id), id); ok {
			m := &n.modules[n.partition.Edges[at].Module]
			if m.Child {
				m = &n.modules[m.Parent]
			}
			if !m.Bootstrap {
				return true
			}
		}
	}
	return false
}

// keep holds an envelope until the end of the bootstrap. If there is no room, the peer must send it again.
func (n *Node) keep(p *peer, b []byte) {
	if !n.early.hasRoom(p, len(b), &n.limits) {
		n.stats.IngressFull++
		n.overflow("envelopes that wait for the bootstrap")
		n.hangUp(p)
		return
	}
	n.early.add(p, b)
}

// readEarly reads the envelopes that came before the end of the bootstrap.
func (n *Node) readEarly() {
	for _, h := range n.early.take() {
		if h.from.hungUp {
			continue // the peer sends it again
		}
		if err := n.Deliver(n.now, h.from.id, h.bytes); err != nil {
			n.overflow("ingress")
			n.hangUp(h.from)
		}
	}
}
