// Package finding is a program in which each worker stores a value among all of them, and finds that of the next one,
// without a server.
package finding

import (
	"time"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/generated_test/program/finding/parts"
	"github.com/bbgen/bbgen/runtime/component/kademlia"
)

// Worker is one of many equal peers.
type Worker struct {
	Table dsl.Protocol
	Word  dsl.Component
}

// Body stores the worker's value again and again, looks for that of the next worker, and reports what it finds.
func (w Worker) Body(g *dsl.Graph) {
	bytes := dsl.Uint8(dsl.Any)
	w.Table.Run(g, "table", 250*time.Millisecond)
	put := g.Interval(20 * time.Second)
	w.Table.Call(g, "Put", dsl.TriggerType, w.Word.Call(g, "Key", bytes, put), w.Word.Call(g, "Value", bytes, put))
	tick := g.Interval(5 * time.Second)
	next := w.Word.Call(g, "Next", bytes, tick)
	w.Table.Call(g, "Get", dsl.TriggerType, next)
	g.AppEmit("found", w.Table.Call(g, "Value", bytes, next))
	g.AppEmit("state", w.Table.Call(g, "State", dsl.Int64(3), tick))
}

// Program returns the workers.
func Program() dsl.Program {
	return dsl.Program{Name: "finding", Modules: []dsl.Module{Worker{
		Table: dsl.Protocol{Bind: dsl.Go(kademlia.Table{Class: "worker", K: 4, Expire: 400})},
		Word:  dsl.Component{Bind: dsl.Go(parts.Word{})},
	}}}
}
