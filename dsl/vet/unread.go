package vet

import "go/types"

// acts are the methods of Graph that do more than compute a value: they send, notify, store, or take part in
// a collective, which other peers wait for.
var acts = map[string]bool{
	"NetOut": true, "Announce": true,
	"AppEmit": true, "AppNotify": true, "BootstrapOutput": true, "Record": true, "IncrMetric": true, "Insert": true,
	"AllReduce": true, "ReduceScatter": true, "AllGather": true, "Broadcast": true, "Reduce": true, "Barrier": true, "Enter": true,
	"If": true, "Loop": true, // may contain such calls
	"Op": true, "OpN": true, // any operator
	"Fail": true, "Peers": true, // with AtLeast it waits
	"DedupGateRx": true, "PeerInTurn": true, "CorrelateTag": true, "RngU64": true, // changes the result of the next call
}

// unread reports values that are computed and dropped at once.
func (p *program) unread() {
	for _, c := range p.calls {
		if !c.alone || c.of != "Graph" || acts[c.name] || !p.makesValues(c) {
			continue
		}
		p.Reportf(c.Pos(), "the result of %s is not used, and the call does nothing else", c.name)
	}
}

// makesValues reports whether all results of a call are values.
func (p *program) makesValues(c *call) bool {
	t := p.TypesInfo.TypeOf(c.CallExpr)
	list, ok := t.(*types.Tuple)
	if !ok {
		return isValue(t)
	}
	for v := range list.Variables() {
		if !isValue(v.Type()) {
			return false
		}
	}
	return list.Len() > 0
}

// isValue reports whether a type is dsl.Value or a slice of them.
func isValue(t types.Type) bool {
	if s, ok := t.(*types.Slice); ok {
		t = s.Elem()
	}
	return isOf(t, "Value")
}
