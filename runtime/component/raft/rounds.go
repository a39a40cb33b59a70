package raft

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// First says what the first round begins with: the same on all servers.
func (l *Log) First(x tensor.Dense[float32]) error {
	if l.machine.first == nil {
		l.machine.first = slices.Clone(x.Data)
	}
	return nil
}

// Turn is the number of the round that is open, to this server alone, if it leads and has not
// begun the round yet; to nobody otherwise, and when so many rounds are decided.
func (l *Log) Turn(n *runtime.Node, rounds int64) (to []wire.PeerID, round int64, err error) {
	if !l.turn(rounds) {
		return nil, 0, nil
	}
	return []wire.PeerID{n.Self()}, l.machine.round, nil
}

// turn reports whether this server begins the round that is open.
func (l *Log) turn(rounds int64) bool {
	m, term := &l.machine, l.node.BasicStatus().GetTerm()
	if !l.leads() || l.pause > 0 || m.round >= rounds || m.begun > m.round && m.term == term || m.now() == nil {
		return false
	}
	m.begun, m.term = m.round+1, term
	return true
}

// Begin is what a round begins with.
func (l *Log) Begin(round int64) (tensor.Dense[float32], error) {
	if round != l.machine.round {
		return tensor.Dense[float32]{}, fmt.Errorf("round %d begins, and %d are decided", round, l.machine.round)
	}
	return dense(l.machine.now()), nil
}

// Again has the round that is open be begun once more after a while: it has failed.
func (l *Log) Again() error {
	l.pause = l.election()
	l.machine.begun = min(l.machine.begun, l.machine.round)
	return nil
}

// Propose proposes an outcome of a round. It is decided later, or never: if this server does
// not lead any more, another one has the round done again.
func (l *Log) Propose(round int64, x tensor.Dense[float32]) error {
	if len(x.Data) != len(l.machine.now()) {
		return fmt.Errorf("an outcome of %d elements, want %d", len(x.Data), len(l.machine.now()))
	}
	if !l.leads() || round != l.machine.round {
		return nil
	}
	if err := l.node.Propose(appendOutcome(nil, round, x.Data)); err != nil {
		return l.Again() // it waits for others, or does not lead any more
	}
	l.settle()
	return nil
}

// Decided is the number of the last round that was decided, to this server alone if that was
// since the last call; to nobody otherwise.
func (l *Log) Decided(n *runtime.Node) (to []wire.PeerID, round int64, err error) {
	m := &l.machine
	if m.told >= m.round {
		return nil, 0, nil
	}
	m.told = m.round
	return []wire.PeerID{n.Self()}, m.round - 1, nil
}

// Outcome is that of the round that was decided last.
func (l *Log) Outcome(round int64) (tensor.Dense[float32], error) {
	if round != l.machine.round-1 {
		return tensor.Dense[float32]{}, fmt.Errorf("the outcome of round %d is wanted, and %d are decided", round, l.machine.round)
	}
	return dense(l.machine.value), nil
}

// dense is a copy of a vector.
func dense(x []float32) tensor.Dense[float32] { return tensor.DenseOf(slices.Clone(x), len(x)) }
