package raft

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// First sets the initial value of the first round: the same on all servers.
func (l *Log) First(x tensor.Dense[float32]) error {
	if l.machine.first == nil {
		l.machine.first = slices.Clone(x.Data)
	}
	return nil
}

// Turn returns the number of the open round, to this server only, if it leads and has not begun the round yet;
// otherwise, and after the given number of rounds, it returns no receiver.
func (l *Log) Turn(n runtime.Peer, rounds int64) (to []wire.PeerID, round int64, err error) {
	if !l.turn(rounds) {
		return nil, 0, nil
	}
	return []wire.PeerID{n.Self()}, l.machine.round, nil
}

// turn reports whether this server begins the open round.
func (l *Log) turn(rounds int64) bool {
	m, term := &l.machine, l.node.BasicStatus().GetTerm()
	if !l.isLeader() || l.pause > 0 || m.round >= rounds || m.begun > m.round && m.term == term || m.now() == nil {
		return false
	}
	m.begun, m.term = m.round+1, term
	return true
}

// Begin returns the initial value of a round.
func (l *Log) Begin(round int64) (tensor.Dense[float32], error) {
	if round != l.machine.round {
		return tensor.Dense[float32]{}, fmt.Errorf("round %d begins, and %d are decided", round, l.machine.round)
	}
	return dense(l.machine.now()), nil
}

// Again repeats the open round, which has failed, after a delay.
func (l *Log) Again() error {
	l.pause = l.election()
	l.machine.begun = min(l.machine.begun, l.machine.round)
	return nil
}

// Propose proposes an outcome of a round. It is decided later, or never: if this server does not lead any more,
// another one repeats the round.
func (l *Log) Propose(round int64, x tensor.Dense[float32]) error {
	if len(x.Data) != len(l.machine.now()) {
		return fmt.Errorf("an outcome of %d elements, want %d", len(x.Data), len(l.machine.now()))
	}
	if !l.isLeader() || round != l.machine.round {
		return nil
	}
	if err := l.node.Propose(appendOutcome(nil, round, x.Data)); err != nil {
		return l.Again() // it waits for others, or does not lead any more
	}
	l.storeAndApply()
	return nil
}

// Decided returns the number of the last decided round, to this server only, if it was decided since the last
// call; otherwise it returns no receiver.
func (l *Log) Decided(n runtime.Peer) (to []wire.PeerID, round int64, err error) {
	m := &l.machine
	if m.told >= m.round {
		return nil, 0, nil
	}
	m.told = m.round
	return []wire.PeerID{n.Self()}, m.round - 1, nil
}

// Outcome returns the outcome of the last decided round.
func (l *Log) Outcome(round int64) (tensor.Dense[float32], error) {
	if round != l.machine.round-1 {
		return tensor.Dense[float32]{}, fmt.Errorf("the outcome of round %d is wanted, and %d are decided", round, l.machine.round)
	}
	return dense(l.machine.value), nil
}

// dense returns a copy of a vector.
func dense(x []float32) tensor.Dense[float32] { return tensor.DenseOf(slices.Clone(x), len(x)) }
