// Package replicated records the rounds of a federation that has several servers: what a
// round begins with, and its outcome, are in a log that they hold together. One of them
// leads the rounds; when it dies, another one goes on with the round that is open. The log
// is a component, such as the one of package runtime/component/raft.
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

// Log is the slot of a server that holds the log: a field of its module.
type Log struct {
	Log    dsl.Protocol
	Period time.Duration // of messages between servers; ten or more without one, and another leads
}

// New has a component in the slot, whose messages are of a type.
func New(log dsl.Binding, message dsl.Type, period time.Duration) Log {
	return Log{Log: dsl.Protocol{Message: message, Bind: log}, Period: period}
}

// Rounds returns n rounds: the number of one, from 0, and the vector that it begins with, which
// is first for round 0 and the outcome of the round before for each other. They come on the
// server that leads, in an execution of their own. A round that fails is begun again.
func (l Log) Rounds(g *dsl.Graph, n int, first dsl.Value) (number, value dsl.Value) {
	l.Log.Run(g, "log", l.Period)
	l.Log.Call(g, "First", dsl.TriggerType, first, g.Pulse())
	failed, _ := g.EventSource(dsl.Failed)
	l.Log.Call(g, "Again", dsl.TriggerType, failed)
	number = l.here(g, "log_turn", "Turn", g.Const(int64(n)))
	return number, l.Log.Call(g, "Begin", dsl.Float32(dsl.Any), number)
}

// Decide proposes the outcome of a round: a vector as long as the first one.
func (l Log) Decide(g *dsl.Graph, number, value dsl.Value) {
	l.Log.Call(g, "Propose", dsl.TriggerType, number, value)
}

// Decided returns the last outcome and the number of its round, on each server soon after it was
// decided. A server that was away may not be told those in between.
func (l Log) Decided(g *dsl.Graph) (number, value dsl.Value) {
	number = l.here(g, "log_decided", "Decided")
	return number, l.Log.Call(g, "Outcome", dsl.Float32(dsl.Any), number)
}

// Leader returns the rank of the server that leads when a value is there, as far as this one
// knows, int64[]; -1 if it knows of none.
func (l Log) Leader(g *dsl.Graph, when dsl.Value) dsl.Value {
	return l.Log.Call(g, "Leader", dsl.Int64(), g.OnTrigger(when))
}

// here returns a number that a method says in one of the periods, as an execution of this peer's:
// it names the peer if there is one, and nobody otherwise.
func (l Log) here(g *dsl.Graph, port, method string, in ...dsl.Value) dsl.Value {
	out := l.Log.CallN(g, method, []dsl.Type{dsl.PeersType, dsl.Int64()}, append(in, g.Interval(l.Period))...)
	g.NetOut(port, out[0], out[len(out)-1], dsl.Apart())
	return g.Input(port, dsl.Int64())
}
