package pass

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/control"
	"github.com/bbgen/bbgen/ir/op/sequence"
)

// PyTorch's x.squeeze(-1) becomes an If if the size of the axis is unknown: one branch removes the axis, the
// other keeps it. A value cannot have two ranks in this IR, so the nodes after such an If move into both of
// its branches, where the rank is known, and most nodes that depend on it can be folded.
//
// If no node follows, the value is an output of the model, and each branch wraps it in a tensor that includes
// its shape.

// maxPushed limits the number of nodes copied into branches. A file with many such Ifs, each of which doubles
// the rest, is then an error instead of an endless run.
const maxPushed = 1 << 16

// maxPrefix limits the number of bytes put before the names of moved nodes.
const maxPrefix = 256

// diverges reports whether n is an If with an output of different rank in its branches, or with branches that
// end with such an If.
func diverges(n *ir.Node, err error) bool {
	var rank control.RankError
	return n.Is("If") && errors.As(err, &rank)
}

// pushRest moves the nodes after node i of r, an If, into both of its branches. The outputs of the If become
// the values that are read from outside.
func (f *inferrer) pushRest(r *ir.Region, i int) error {
	n, rest := r.Nodes[i], r.Nodes[i+1:]
	(&ir.Region{Nodes: rest}).Walk(func(*ir.Node) { f.pushed += 2 })
	if f.pushed > maxPushed {
		f.exceeded = fmt.Errorf("%s: too many branches give values of differing ranks; fix the sizes that the conditions test, as with --bind batch=1", n)
		return f.exceeded
	}
	live := f.escaping(r, n, rest)
	for _, branch := range n.Regions {
		// The names of nodes that were moved before begin with a prefix already: repeated, it would double with each If.
		prefix := strings.TrimPrefix(n.Name, f.prefixes[r]) + "_" + branch.Name + "/"
		prefix = strings.ToValidUTF8(prefix[max(len(prefix)-maxPrefix, 0):], "")
		f.prefixes[branch] = prefix + f.prefixes[r]
		tail := ir.CloneRegion(f.m, &ir.Region{Nodes: rest, Results: live}, prefix)
		by := map[*ir.Value]*ir.Value{}
		for j, v := range n.Out {
			if v != nil {
				by[v] = branch.Results[j]
			}
		}
		tail.Replace(by)
		branch.Nodes = append(branch.Nodes, tail.Nodes...)
		branch.Results = tail.Results
	}
	for _, v := range live {
		v.Def, v.Elems, v.ElemSyms = n, nil, nil
	}
	n.Out = live
	n.Attrs.Set(control.PushedAttr, int64(1))
	r.Nodes = r.Nodes[:i+1]
	return nil
}

// escaping lists the values that n or the rest define and that are results of r or next states of main.
func (f *inferrer) escaping(r *ir.Region, n *ir.Node, rest []*ir.Node) []*ir.Value {
	moves := map[*ir.Node]bool{n: true}
	for _, m := range rest {
		moves[m] = true
	}
	read := slices.Clone(r.Results)
	if r == f.m.Main.Body {
		for _, s := range f.m.Main.State {
			read = append(read, s.Next)
		}
	}
	var live []*ir.Value
	for _, v := range read {
		if v.Def != nil && moves[v.Def] && !slices.Contains(live, v) {
			live = append(live, v)
		}
	}
	return live
}

// last infers n again, which is a diverging If with no node after it, neither in r nor in the enclosing
// region.
func (f *inferrer) last(n *ir.Node) error {
	for _, branch := range n.Regions {
		f.ends[branch] = true
	}
	for {
		_, err := f.node(n)
		if !diverges(n, err) || !f.boxes(n) {
			return err
		}
	}
}

// boxes wraps results of n's branches that differ in rank. It reports whether there are any.
func (f *inferrer) boxes(n *ir.Node) (boxed bool) {
	for i := range n.Out {
		a, b := n.Regions[0].Results[i].Type, n.Regions[1].Results[i].Type
		if a.Kind == b.Kind && len(a.Shape) == len(b.Shape) {
			continue
		}
		for _, branch := range n.Regions {
			v := branch.Results[i]
			if v.Type.Kind != ir.Tensor || !v.Type.Known() {
				continue
			}
			b := builder(f.m, n)
			branch.Results[i] = sequence.Boxes(b, v)
			branch.Nodes = append(branch.Nodes, b.Nodes...)
			boxed = true
		}
	}
	return boxed
}
