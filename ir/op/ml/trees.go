package ml

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// treeNode is a node of a decision tree as a file describes it. Children are
// positions in the list of nodes.
type treeNode struct {
	leaf    bool
	mode    int // 0 to 6, as TreeEnsemble numbers them
	feature int
	split   float64
	members []float64 // the values to which a feature is compared, for branchMember
	missing bool      // NaN goes to yes
	yes, no int
	gives   []leafScore
}

// leafScore is the score that a leaf adds to one target.
type leafScore struct {
	target int
	weight float64
}

// The modes that need care here; see the Branch constants of package cpu.
const (
	branchEqual  = 4
	branchMember = 6
)

// forest is a list of decision trees in the order of evaluation.
type forest struct {
	roots, feature, yes, no, first, target []int32
	mode, missing                          []uint8
	split, weight                          []float64
	features                               int
}

// plant lays trees out, each node before its children.
func plant(nodes []treeNode, roots []int) (*forest, error) {
	p := &planter{nodes: nodes, f: &forest{first: []int32{0}}, at: map[int]int32{}, open: map[int]bool{}}
	for _, r := range roots {
		at, err := p.place(r)
		if err != nil {
			return nil, err
		}
		p.f.roots = append(p.f.roots, at)
	}
	return p.f, nil
}

type planter struct {
	nodes []treeNode
	f     *forest
	at    map[int]int32 // where a node is now; -1-i for leaf i
	open  map[int]bool  // nodes above the current one
}

// place lays out the tree below node i and returns where it begins.
func (p *planter) place(i int) (int32, error) {
	if at, ok := p.at[i]; ok {
		return at, nil
	}
	if i < 0 || i >= len(p.nodes) {
		return 0, fmt.Errorf("a tree has a child %d, but there are %d nodes", i, len(p.nodes))
	}
	if p.open[i] {
		return 0, fmt.Errorf("node %d of a tree is below itself", i)
	}
	n := &p.nodes[i]
	if n.leaf {
		for _, s := range n.gives {
			p.f.target = append(p.f.target, int32(s.target))
			p.f.weight = append(p.f.weight, s.weight)
		}
		p.f.first = append(p.f.first, int32(len(p.f.target)))
		p.at[i] = -1 - int32(len(p.f.first)-2)
		return p.at[i], nil
	}
	p.open[i] = true
	at, err := p.branch(n)
	p.open[i] = false
	p.at[i] = at
	return at, err
}

// branch lays out an inner node: one comparison, or one for each member.
func (p *planter) branch(n *treeNode) (int32, error) {
	if n.feature < 0 || n.feature > 1<<30 {
		return 0, fmt.Errorf("a tree looks at feature %d", n.feature)
	}
	mode, splits := n.mode, []float64{n.split}
	if mode == branchMember {
		mode, splits = branchEqual, n.members
	}
	if mode < 0 || mode > branchMember || len(splits) == 0 {
		return 0, fmt.Errorf("a tree compares by mode %d with %d values", n.mode, len(splits))
	}
	f := p.f
	f.features = max(f.features, n.feature+1)
	begin := len(f.split)
	for k, s := range splits {
		f.feature = append(f.feature, int32(n.feature))
		f.mode = append(f.mode, uint8(mode))
		f.missing = append(f.missing, 0)
		if n.missing {
			f.missing[begin+k] = 1
		}
		f.split = append(f.split, s)
		f.yes = append(f.yes, 0)
		f.no = append(f.no, int32(begin+k+1))
	}
	yes, err := p.place(n.yes)
	if err != nil {
		return 0, err
	}
	no, err := p.place(n.no)
	if err != nil {
		return 0, err
	}
	for k := range splits {
		f.yes[begin+k] = yes
	}
	f.no[begin+len(splits)-1] = no
	return int32(begin), nil
}

// check returns an error if the trees do not match cols features and scores targets.
func (f *forest) check(cols ir.Dim, scores int) error {
	if n, ok := cols.Const(); ok && n < f.features {
		return fmt.Errorf("trees look at %d features, but the input has %d", f.features, n)
	}
	for _, t := range f.target {
		if t < 0 || int(t) >= scores {
			return fmt.Errorf("a leaf gives to target %d of %d", t, scores)
		}
	}
	return nil
}

// trees calls the kernel that walks the trees for each row of the input.
func trees(l *op.Lowering, y *ir.Value, f *forest, base []float64, aggregate string, scores int) {
	x := l.In[op.X]
	split := l.ConstTensor("split", tensor.Of(f.split, len(f.split)))
	if x.Type.Elem == tensor.Float32 {
		split = l.Floats32("split", f.split)
	}
	acc := l.Scratch(tensor.Float64, ir.C(scores))
	l.Call("TreeScores", y, acc, x, split, op.Struct{Type: "Trees", Fields: []op.Field{
		{Name: "Roots", Value: op.Constant(l, "roots", f.roots)},
		{Name: "Feature", Value: op.Constant(l, "feature", f.feature)},
		{Name: "Mode", Value: op.Constant(l, "mode", f.mode)},
		{Name: "Missing", Value: op.Constant(l, "missing", f.missing)},
		{Name: "Yes", Value: op.Constant(l, "yes", f.yes)},
		{Name: "No", Value: op.Constant(l, "no", f.no)},
		{Name: "First", Value: op.Constant(l, "first", f.first)},
		{Name: "Target", Value: op.Constant(l, "target", f.target)},
		{Name: "Weight", Value: op.Constant(l, "weight", f.weight)},
		{Name: "Base", Value: op.Constant(l, "base", base)},
		{Name: "Aggregate", Value: aggregate},
		{Name: "Columns", Value: width(x)},
		{Name: "Scores", Value: scores},
		{Name: "Features", Value: f.features},
	}})
}

// floatsOf returns a list attribute that may be a tensor called name_as_tensor.
func floatsOf(n *ir.Node, name string) []float64 {
	if t := n.TensorAttr(name + "_as_tensor"); t != nil {
		return op.FloatElems(t)
	}
	return n.Floats(name)
}
