package partitioner

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// goOn adds the reaction to a round without a quorum, if there is one: a block with a Next that reuses the
// values with which the round began. It waits for a timer cut point, which the engine triggers when the block
// of the usual Next has failed.
func (b *body) goOn() {
	m := b.module
	if m.Short == "" || len(b.errs) > 0 {
		return
	}
	if len(b.gathers) == 0 {
		b.failf(m.Open, "says what follows a round without a quorum, but nothing in it has a quorum: leave out %q", "short")
		return
	}
	at := slices.IndexFunc(m.Blocks, func(blk *Block) bool {
		return slices.ContainsFunc(blk.Steps, func(s Step) bool { return s.Next == m })
	})
	if at < 0 {
		b.failf(m.Open, "says what follows a round without a quorum, but nothing begins the next round")
		return
	}
	next := m.Blocks[at]
	inputs := slices.Clone(m.Inputs)
	m.Again = b.add(&Cut{Kind: Timer, Name: "again"})
	next.Starts = append(next.Starts, m.Again)
	carried := make([]*ir.Value, 1, len(inputs)) // the first one is for until
	for _, c := range inputs[1:] {
		carried = append(carried, c.Values[0])
	}
	n := &ir.Node{Op: peer.Next.Name, Domain: m.Open.Domain, Name: m.Open.Name + "_again", In: carried, Version: m.Open.Version, Class: m.Open.Class, Pos: m.Open.Pos}
	b.m.Main.Body.Nodes = append(b.m.Main.Body.Nodes, n)
	m.Blocks = append(m.Blocks, &Block{Index: len(m.Blocks), Name: "again", Wait: append(inputs, m.Again), Ops: 1,
		Steps: []Step{{Node: n, Next: m, Again: true}}})
}
