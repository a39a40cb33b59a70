package pass

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/control"
	"github.com/bbgen/bbgen/ir/op/sequence"
)

// PyTorch's x.squeeze(-1) becomes an If where the size of the axis is not known:
// one branch takes the axis away, the other leaves it. A value of two ranks has
// no type here, so what comes after such an If moves into both of its branches,
// where the rank is known, and most of what depends on it folds.

// Where nothing comes after it any more, what differs is an output of the model,
// and each branch puts it into a tensor that says itself what its shape is.

// maxPushed is how many nodes may be copied into branches, so that a file with
// many such Ifs, of which each doubles the rest, is an error and no endless run.
const maxPushed = 1 << 16

// diverges reports whether n is an If one of whose outputs has one rank in one
// branch and another in the other, or whose branches end with such an If.
func diverges(n *ir.Node, err error) bool {
	var rank control.RankError
	return n.Is("If") && errors.As(err, &rank)
}

// pushRest moves what follows node i of r, an If, into both of its branches. The
// If's outputs are then what others read of that.
func (f *inferrer) pushRest(r *ir.Region, i int) error {
	n, rest := r.Nodes[i], r.Nodes[i+1:]
	f.pushed += 2 * len(rest)
	if f.pushed > maxPushed {
		return fmt.Errorf("too many branches give values of differing ranks; fix the sizes that the conditions ask for, as with --bind batch=1")
	}
	live := f.escaping(r, n, rest)
	for _, branch := range n.Regions {
		tail := ir.CloneRegion(f.m, &ir.Region{Nodes: rest, Results: live}, n.Name+"_"+branch.Name+"/")
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

// escaping lists what r gives, or main keeps as state, that n or the rest defines.
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

// last infers n again, an If that diverges and that nothing follows, neither in r
// nor behind the node that r belongs to.
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

// boxes puts results of n's branches that differ in rank into boxes; it reports
// whether there are any.
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
