package partitioner

import (
	"cmp"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// form makes the blocks: each is the set of nodes that wait for the same cut points. A long computation
// becomes a command, which is a cut point, so forming is repeated until there are no more of them.
//
// It terminates, as each repetition either moves more nodes into commands or makes a size known.
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

// part is a block under construction: nodes in the order of recording.
type part struct {
	mask  cutSet
	first *ir.Node // the First, if the block consists of one
	nodes []*ir.Node
	items []item
}

// item is a node, or computations that run together.
type item struct {
	node    *ir.Node
	compute []*ir.Node
}

// group assigns each node to the part of its cut points, and orders the parts.
func (b *body) group() {
	b.parts = nil
	at := map[cutSet]*part{}
	b.partOf = map[*ir.Node]*part{}
	for _, n := range b.nodes {
		if b.outside(n) {
			continue
		}
		p := at[b.full[n]]
		if op.PeerKindOf(n) == op.KindFirst {
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

// order sorts the nodes of a part. They keep the order of recording, except that all computations that can
// run do so when a node needs one of them.
func (b *body) order(p *part) []item {
	o := &ordering{b: b, p: p, done: map[*ir.Node]bool{}}
	for _, n := range p.nodes {
		if op.PeerKindOf(n) == 0 && b.async[n] == nil {
			o.rest = append(o.rest, n)
		}
	}
	for _, n := range p.nodes {
		if op.PeerKindOf(n) == 0 && b.async[n] == nil {
			continue
		}
		if !o.ready(n) {
			o.compute()
		}
		if op.PeerKindOf(n) == 0 {
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
	rest  []*ir.Node // computations that have not run
	items []item
}

// ready reports whether all inputs of n from the same part are computed.
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
	o.rest = slices.DeleteFunc(o.rest, func(n *ir.Node) bool {
		if !o.ready(n) {
			return false
		}
		o.done[n] = true
		nodes = append(nodes, n)
		return true
	})
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

// slowCompute turns the first computation into a command that the engine does not wait for. It reports whether there was one.
func (b *body) slowCompute() bool {
	for _, p := range b.parts {
		for _, it := range p.items {
			if len(it.compute) == 0 || b.async[it.compute[0]] != nil {
				continue
			}
			if work, ok := flops(it.compute); ok && work <= b.opt.Target.Inline() {
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

// sortParts puts blocks that wait for fewer cut points first. If two become ready at once, the first one
// computes values that the second reads.
func (b *body) sortParts() {
	weight := func(p *part) int {
		if p.first != nil {
			return maxCuts + 1
		}
		return p.mask.count()
	}
	slices.SortStableFunc(b.parts, func(x, y *part) int { return cmp.Compare(weight(x), weight(y)) })
}

// finish converts the parts to blocks.
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
			if it.node == nil || op.PeerKindOf(it.node) != op.KindFirst {
				b.step(blocks[p], it)
			}
		}
	}
	for _, p := range b.parts {
		if p.first != nil {
			b.checkTime(p.first)
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

// require records the blocks that may fail and that compute inputs of a part. No cut point reports such a value,
// so that the part must check the blocks.
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

// mayFail reports whether a part computes, calls a component or uses a service that may be refused. Values
// from other peers can make these fail.
func (p *part) mayFail() bool {
	return slices.ContainsFunc(p.nodes, func(n *ir.Node) bool {
		switch op.PeerKindOf(n) {
		case 0, op.KindCall, op.KindGather, op.KindFold:
			return true
		}
		return op.Lookup(n).Peer.Fails
	})
}

// await makes a child, and a module without blocks, wait for the cut points that no block waits for,
// including commands that it starts. A frame ends with its last block, and the gather then reads the values
// of a child.
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

// step adds the step of a block for an item.
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
		if op.PeerKindOf(it.node) == op.KindSend {
			s.Apart = b.apart(it.node)
		} else { // the cut point of a collective has its edge
			s.Edge = nil
		}
		if g := b.foldOf[it.node]; g != nil {
			s.Fold = g.child.module
			if s.Cut == nil {
				s.Into = b.cutOf[b.joinOf(it.node)]
			}
		}
		if op.PeerKindOf(it.node) == op.KindNext {
			s.Next = b.opens1(it.node)
		}
		blk.Ops++
	}
	b.start(blk, s)
}

// start adds a step and the cut point that it starts.
func (b *body) start(blk *Block, s Step) {
	blk.Steps = append(blk.Steps, s)
	if s.Cut != nil {
		blk.Starts = append(blk.Starts, s.Cut)
	}
}

// checkTime refuses a DeadlineMatch that is always in time. It is called while all cut points are those of the flow.
func (b *body) checkTime(n *ir.Node) {
	if b.timers[n] != nil && b.isAlwaysInTime(n) {
		b.failf(n, "waits for %q, which begins the execution, so it is always in time; the time counts from where %q is present: let that wait, as with Gate, for a value that is present when the wait begins", n.In[0].Name, n.In[1].Name)
	}
}

// chooseFirst makes the block of a First, and the steps in other blocks that report its inputs.
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

// isAlwaysInTime reports whether a DeadlineMatch waits for nothing but the fill that opens the frame, whose other value needs nothing.
// Such a fill may be the answer that another execution waits for, with which this one has nothing in common.
func (b *body) isAlwaysInTime(n *ir.Node) bool {
	byFill := slices.ContainsFunc(b.module.Cuts, func(c *Cut) bool { return c.Kind == Fill && b.opens.has(c) })
	return byFill && b.comes(n.In[1]) == (cutSet{}) && b.comes(n.In[0]).or(b.opens) == b.opens
}

// bring makes the block that computes v report that v is present.
func (b *body) bring(blocks map[*part]*Block, v *ir.Value, c *Cut) {
	blk := blocks[b.partOf[v.Def]]
	if blk == nil { // v opened the frame
		blk = b.blockAt(blocks, b.opens)
	}
	if !slices.Contains(blk.Starts, c) {
		b.start(blk, Step{Cut: c})
	}
}

// blockAt returns the block that waits for the cut points of a mask. It creates the block if necessary.
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
