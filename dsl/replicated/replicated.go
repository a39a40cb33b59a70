// Package replicated records the rounds of a federation with several servers. The beginning and the outcome
// of each round are in a log that the servers replicate. One of them leads the rounds; if it fails, another
// one continues the open round. The log is a component, such as the one of package runtime/component/raft.
//
//	number, params := s.Log.Rounds(g, 30, s.Model.Params(g)) // on the server that leads
//	…
//	s.Log.Decide(g, number, mean)
//
//	number, params = s.Log.Decided(g) // on each server
package replicated

import (
	"time"

	"github.com/bbgen/bbgen/dsl"
)

// Log is the slot of a server for the log: a field of its module.
type Log struct {
	Log    dsl.Protocol
	Period time.Duration // of messages between servers; after ten or more periods without a message, another server leads
}

// New returns a slot with the component log and its type of messages.
func New(log dsl.Binding, message dsl.Type, period time.Duration) Log {
	return Log{Log: dsl.Protocol{Message: message, Bind: log}, Period: period}
}

// Rounds runs n rounds. It returns the number of a round, from 0, and the vector that it begins with, which
// is first for round 0 and otherwise the outcome of the round before. The values appear on the leading
// server, in an execution of their own. A round that fails is started again.
func (l Log) Rounds(g *dsl.Graph, n int, first dsl.Value) (number, value dsl.Value) {
	l.Log.Run(g, "log", l.Period)
	l.Log.Call(g, "First", dsl.TriggerType, first, g.Pulse())
	failed, _ := g.EventSource(dsl.Failed)
	l.Log.Call(g, "Again", dsl.TriggerType, failed)
	number = l.here(g, "log_turn", "Turn", g.Const(int64(n)))
	return number, l.Log.Call(g, "Begin", dsl.Float32(dsl.Any), number)
}

// Decide proposes the outcome of a round: a vector of the same length as the first one.
func (l Log) Decide(g *dsl.Graph, number, value dsl.Value) {
	l.Log.Call(g, "Propose", dsl.TriggerType, number, value)
}

// Decided returns the number of the last decided round and its outcome, on each server soon after the
// decision. A server that was away may miss earlier ones.
func (l Log) Decided(g *dsl.Graph) (number, value dsl.Value) {
	number = l.here(g, "log_decided", "Decided")
	return number, l.Log.Call(g, "Outcome", dsl.Float32(dsl.Any), number)
}

// Leader returns the rank of the leading server at the time of when, as far as this server knows it. It is an
// int64[], and −1 if unknown.
func (l Log) Leader(g *dsl.Graph, when dsl.Value) dsl.Value {
	return l.Log.Call(g, "Leader", dsl.Int64(), g.OnTrigger(when))
}

// here calls a method in each period. If the method returns a number, it starts an execution of this peer
// with that number. The method returns the peers to start: this one, or none.
func (l Log) here(g *dsl.Graph, port, method string, in ...dsl.Value) dsl.Value {
	out := l.Log.CallN(g, method, []dsl.Type{dsl.PeersType, dsl.Int64()}, append(in, g.Interval(l.Period))...)
	g.NetOut(port, out[0], out[len(out)-1], dsl.Apart())
	return g.Input(port, dsl.Int64())
}
