package op

import "slices"

// NameAttr is the attribute of the engine's services that says which of several
// is meant: which queue, which counter.
const NameAttr = "name"

// after is any number of triggers: what a service waits for before it is called.
var after = Port{Name: "after", Types: aTrigger, Variadic: true}

// phase is the attribute of all that a peer does in a phase of its life.
var phase = Attr{Name: "phase", Kind: String}

// service is a call of the engine, made in place.
func service(name string, in, out []Port, infer func(*Infer) error, attrs ...Attr) row {
	if !slices.ContainsFunc(attrs, func(a Attr) bool { return a.Name == phase.Name }) {
		attrs = append(attrs, phase)
	}
	return row{&Op{
		Name: name, Domain: SyscallDomain, Since: []int{1}, Attrs: attrs, Inputs: in, Outputs: out, Infer: infer, Effect: true,
		Peer: &Peer{Kind: KindService, Method: name, Config: arguments(attrs)}, Stops: engine,
	}}
}

// opener starts executions of its own.
func opener(name string, opens Opens, out []Port, infer func(*Infer) error, attrs ...Attr) row {
	o := service(name, nil, out, infer, attrs...).as(KindOpen)
	o.Peer.Opens = opens
	return o
}

// order is an operator that only says what comes before what.
func order(name string, in, out []Port, infer func(*Infer) error) row {
	o := service(name, in, out, infer).as(KindOrder)
	o.Effect, o.Peer.Method = false, ""
	return o
}

// of says which state of the peer a service works on, and its method there.
func (o row) of(state, method string) row {
	o.Peer.State, o.Peer.Method = state, method
	return o
}

// passes has a service let its first input through.
func (o row) passes() row {
	o.Peer.Pass = true
	return o
}

// fails says that a service may refuse what it is asked for.
func (o row) fails() row {
	o.Peer.Fails = true
	return o
}

// ofFrame gives a service the frame of the execution.
func (o row) ofFrame() row {
	o.Peer.Frame = true
	return o
}

// syscallOps are the services of the engine.
var syscallOps = []*Op{
	Any1, DeadlineMatch, Gate, GateDispatch, OnTrigger, PassThrough, Tee,
	BootstrapDispatch, EventSource, Interval, LifecyclePhase, Pulse, Rounds, Next,
	After, Sleep, Clock, DeadlineCheck, RngU64,
	AwaitPeers, PeerInTurn, PeersOf, Self, BackoffGateRx, BackoffGateTx, DedupGateRx, PeerHealthGateRx, PeerHealthGateTx,
	CorrelateTag, HoldFlush, HoldStash, LimitAcquire, LimitRelease, SerializeDequeue, SerializeEnqueue, IncrMetric, Record,
	AppEmit, AppNotify, BootstrapOutput,
	BookInsert, BookInsertMany, BookLookup,
}
