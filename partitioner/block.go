package partitioner

import (
	"cmp"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// form makes the blocks: nodes for which the same cut points must have come are
// one. A computation that takes long becomes a command, which is a cut point, so
// it is done again until there is no more such.
//
// It ends: each time more nodes belong to commands, or a size becomes known.
func (b *body) form() {
	for again := true; again && len(b.errs) == 0; {
		b.flow()
		b.meet()
		b.group()
		again = b.slowCompute() || b.missingSize()
	}
	if len(b.errs) > 0 {
		return
	}
	b.finish()
}

// part is a block while it is made: nodes in the order of recording.
type part struct {
	mask  cutSet
	first *ir.Node // the First that is a block of its own
	nodes []*ir.Node
	items []item
}

// item is a node, or computations that run together.
type item struct {
	node    *ir.Node
	compute []*ir.Node
}

// group puts each node in the part of its cut points, and orders it.
func (b *body) group() {
	b.parts = nil
	at := map[cutSet]*part{}
	b.partOf = map[*ir.Node]*part{}
	for _, n := range b.nodes {
		if b.outside(n) {
			continue
		}
		p := at[b.full[n]]
		if kind(n) == op.KindFirst {
			p = &part{first: n}
			b.parts = append(b.parts, p)
		} else if p == nil {
			p = &part{mask: b.full[n]}
			at[p.mask] = p
			b.parts = append(b.parts, p)
		}
		p.nodes = append(p.nodes, n)
		b.partOf[n] = p
	}
	b.sortParts()
	for _, p := range b.parts {
		p.items = b.order(p)
	}
}

// order puts the nodes of a part in order: as recorded, but when a node needs a
// computation, all computations run that can.
func (b *body) order(p *part) []item {
	o := &ordering{b: b, p: p, done: map[*ir.Node]bool{}}
	for _, n := range p.nodes {
		if kind(n) == 0 && b.async[n] == nil {
			continue
		}
		if !o.ready(n) {
			o.compute()
		}
		if kind(n) == 0 {
			o.command(n)
			continue
		}
		o.done[n] = true
		o.items = append(o.items, item{node: n})
	}
	o.compute()
	return o.items
}

type ordering struct {
	b     *body
	p     *part
	done  map[*ir.Node]bool
	items []item
}

// ready reports whether what n reads of the same part is done.
func (o *ordering) ready(n *ir.Node) bool {
	for _, v := range o.b.reads(n) {
		if v.Def != nil && o.b.partOf[v.Def] == o.p && !o.done[v.Def] && o.b.async[v.Def] == nil && o.b.cutOf[v.Def] == nil {
			return false
		}
	}
	return true
}

// compute runs all computations that can run.
func (o *ordering) compute() {
	var nodes []*ir.Node
	for _, n := range o.p.nodes {
		if kind(n) == 0 && o.b.async[n] == nil && !o.done[n] && o.ready(n) {
			o.done[n] = true
			nodes = append(nodes, n)
		}
	}
	if len(nodes) > 0 {
		o.items = append(o.items, item{compute: nodes})
	}
}

// command starts the command that n belongs to.
func (o *ordering) command(n *ir.Node) {
	if o.done[n] {
		return
	}
	c := o.b.async[n]
	var nodes []*ir.Node
	for _, x := range o.p.nodes {
		if o.b.async[x] == c {
			o.done[x] = true
			nodes = append(nodes, x)
		}
	}
	o.items = append(o.items, item{compute: nodes})
}

// maxInline is how many arithmetic operations a computation may take that runs
// while the engine waits.
const maxInline = 1e6

// slowCompute makes the first computation that takes long a command.
func (b *body) slowCompute() bool {
	for _, p := range b.parts {
		for _, it := range p.items {
			if len(it.compute) == 0 || b.async[it.compute[0]] != nil {
				continue
			}
			if work, ok := flops(it.compute); ok && work <= maxInline {
				continue
			}
			c := b.add(&Cut{Kind: Command, Name: it.compute[len(it.compute)-1].Name})
			for _, n := range it.compute {
				b.async[n] = c
				for _, v := range n.Out {
					b.brings[v] = c
				}
			}
			return true
		}
	}
	return false
}

// flops returns how many arithmetic operations nodes perform; it is not ok if that
// depends on sizes known only when they run.
func flops(nodes []*ir.Node) (int64, bool) {
	sum := ir.C(0)
	for _, n := range nodes {
		sum = sum.Add(work(n))
	}
	k, ok := sum.Const()
	return int64(k), ok
}

func work(n *ir.Node) ir.Dim {
	sum := ir.C(0)
	(&ir.Region{Nodes: []*ir.Node{n}}).Walk(func(x *ir.Node) {
		sum = sum.Add(op.Lookup(x).Work(x))
	})
	return sum
}

// sortParts puts blocks that wait for less before those that wait for more: of
// two that become ready at once the first computes what the second reads.
func (b *body) sortParts() {
	weight := func(p *part) int {
		if p.first != nil {
			return maxCuts + 1
		}
		return p.mask.count()
	}
	slices.SortStableFunc(b.parts, func(x, y *part) int { return cmp.Compare(weight(x), weight(y)) })
}

// finish makes the parts blocks.
func (b *body) finish() {
	names := map[string]bool{}
	blocks := map[*part]*Block{}
	for _, p := range b.parts {
		blk := &Block{Index: len(b.module.Blocks), Name: fresh(names, b.blockName(p))}
		if p.first == nil {
			blk.Wait = b.waits(p.mask)
		}
		blocks[p] = blk
		b.module.Blocks = append(b.module.Blocks, blk)
	}
	for _, p := range b.parts {
		for _, it := range p.items {
			if it.node == nil || kind(it.node) != op.KindFirst {
				b.step(blocks[p], it)
			}
		}
	}
	for _, p := range b.parts {
		if p.first != nil {
			b.chooseFirst(blocks, p)
		}
		b.require(blocks, p)
	}
	b.await()
	if n := len(b.module.Blocks); n > maxCuts {
		b.errorf("module %s of %s has %d blocks, want at most %d: divide it", b.module.Name, b.class.name, n, maxCuts)
	}
}

// require notes the blocks whose values a part reads, and which may fail. No cut point
// comes with such a value, so that nothing else says that it is not there.
func (b *body) require(blocks map[*part]*Block, p *part) {
	blk := blocks[p]
	for _, n := range p.nodes {
		for _, v := range b.reads(n) {
			if v.Def == nil || b.brings[v] != nil || b.childOf[v] != nil {
				continue
			}
			q := b.partOf[v.Def]
			if q != nil && q != p && q.mayFail() && !slices.Contains(blk.Needs, blocks[q]) {
				blk.Needs = append(blk.Needs, blocks[q])
			}
		}
	}
	slices.SortFunc(blk.Needs, func(x, y *Block) int { return cmp.Compare(x.Index, y.Index) })
}

// mayFail reports whether a part computes, calls a component or asks for a service that
// may be refused: they fail for what a peer has sent.
func (p *part) mayFail() bool {
	return slices.ContainsFunc(p.nodes, func(n *ir.Node) bool {
		switch kind(n) {
		case 0, op.KindCall, op.KindGather, op.KindFold:
			return true
		}
		return op.Lookup(n).Peer.Fails
	})
}

// await lets a child, and a module that does nothing, wait for what no block waits
// for, be it a command that one of them starts: a frame ends with its last block, and
// the gather reads what a child has then.
func (b *body) await() {
	if b.module.Parent == nil && len(b.module.Blocks) > 0 {
		return
	}
	var rest []*Cut
	for _, c := range b.module.Cuts {
		if !slices.ContainsFunc(b.module.Blocks, func(blk *Block) bool { return slices.Contains(blk.Wait, c) }) {
			rest = append(rest, c)
		}
	}
	if len(rest) > 0 || len(b.module.Blocks) == 0 {
		b.module.Blocks = append(b.module.Blocks, &Block{Index: len(b.module.Blocks), Name: "received", Wait: rest, Ops: 1})
	}
}

// step adds what a block does for an item.
func (b *body) step(blk *Block, it item) {
	s := Step{Node: it.node}
	if it.compute != nil {
		c := b.compute(it.compute)
		s.Compute, s.Cut = c, b.async[it.compute[0]]
		if s.Cut != nil {
			s.Cut.Body, s.Cut.Values = c, c.Outs
		}
		blk.Ops += len(it.compute)
	} else {
		s.Cut, s.Edge = b.cutOf[it.node], b.edgeOf[it.node]
		if kind(it.node) != op.KindSend { // a collective's edge is its cut point's
			s.Edge = nil
		}
		if g := b.foldOf[it.node]; g != nil {
			s.Fold = g.child.module
			if s.Cut == nil {
				s.Into = b.cutOf[b.joinOf(it.node)]
			}
		}
		if kind(it.node) == op.KindNext {
			s.Next = b.opens1(it.node)
		}
		blk.Ops++
	}
	b.start(blk, s)
}

// start adds a step and what it brings about.
func (b *body) start(blk *Block, s Step) {
	blk.Steps = append(blk.Steps, s)
	if s.Cut != nil {
		blk.Starts = append(blk.Starts, s.Cut)
	}
}

// chooseFirst makes the block of a First, and the steps of others that it waits
// for.
func (b *body) chooseFirst(blocks map[*part]*Block, p *part) {
	n, blk := p.first, blocks[p]
	from := b.from(n)
	if len(b.errs) > 0 {
		return
	}
	for i, c := range from {
		if c.Kind == Local && c.Node == nil {
			b.bring(blocks, n.In[i], c)
		}
		if !slices.Contains(blk.Wait, c) {
			blk.Wait = append(blk.Wait, c)
		}
	}
	if t := b.timers[n]; t != nil {
		b.start(b.blockAt(blocks, b.before[t.Index]), Step{Node: n, Cut: t})
	}
	slices.SortFunc(blk.Wait, func(x, y *Cut) int { return cmp.Compare(x.Index, y.Index) })
	blk.Any = true
	blk.Ops++
	b.start(blk, Step{Node: n, Cut: b.cutOf[n], From: from})
}

// bring has the block that computes v say that it is there.
func (b *body) bring(blocks map[*part]*Block, v *ir.Value, c *Cut) {
	blk := blocks[b.partOf[v.Def]]
	if blk == nil { // what opened the frame
		blk = b.blockAt(blocks, b.opens)
	}
	if !slices.Contains(blk.Starts, c) {
		b.start(blk, Step{Cut: c})
	}
}

// blockAt returns the block that runs when the cut points of a mask have come; it is
// made if there is none.
func (b *body) blockAt(blocks map[*part]*Block, mask cutSet) *Block {
	for _, p := range b.parts {
		if p.first == nil && p.mask == mask {
			return blocks[p]
		}
	}
	p := &part{mask: mask}
	blk := &Block{Index: len(b.module.Blocks), Name: "begin", Wait: b.waits(mask)}
	b.parts, blocks[p] = append(b.parts, p), blk
	b.module.Blocks = append(b.module.Blocks, blk)
	return blk
}
