package control

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// If runs one of two regions. If the condition is known, the other region is not even inferred, as it is
// often invalid for the types of the model.
//
// https://onnx.ai/onnx/operators/onnx__If.html
var If = &op.Op{
	Name:  "If",
	Since: []int{1, 11, 13, 16, 19, 21, 23, 24, 25},
	Attrs: []op.Attr{
		{Name: "else_branch", Kind: op.Graph, Required: true},
		{Name: "then_branch", Kind: op.Graph, Required: true},
		{Name: takenAttr, Kind: op.String, Own: true},
		{Name: becauseAttr, Kind: op.String, Own: true},
		{Name: PushedAttr, Kind: op.Int, Own: true},
	},
	Inputs:  []op.Port{{Name: "cond", Types: elem.Bools}},
	Outputs: []op.Port{{Name: "outputs", Variadic: true, Mixed: true, Min: 1}},
	Infer:   inferIf,
	Flow:    op.Branch,
	Live:    liveBranches,
	Expand:  expandIf,
	Expands: func(n *ir.Node) bool { return n.Has(takenAttr) },
}

// takenAttr names the branch that runs, if inference knows it. If the reason is that the other branch is
// invalid for its types, becauseAttr holds the error; the condition is then checked at run time.
const (
	takenAttr   = "taken"
	becauseAttr = "because"
)

func inferIf(c *op.Infer) error {
	if err := checkFlag(c.In[op.X], tensor.Bool, "condition"); err != nil {
		return err
	}
	for _, name := range []string{"then_branch", "else_branch"} {
		switch r := c.Node.Region(name); {
		case r == nil:
			return fmt.Errorf("has no %s", name)
		case len(r.Params) > 0:
			return fmt.Errorf("%s has %d inputs, want none", name, len(r.Params))
		case len(r.Results) != len(c.Node.Out):
			return fmt.Errorf("%s has %d results, want %d", name, len(r.Results), len(c.Node.Out))
		}
	}
	if c.Region != nil {
		markTaken(c.Node)
		if err := branches(c); err != nil {
			return err
		}
	}
	live := liveBranches(c.Node)
	for i, a := range live[0].Results {
		b := live[len(live)-1].Results[i]
		if err := join(c, i, a, b); err != nil {
			return fmt.Errorf("output %d %w in its branches", i, err)
		}
	}
	return nil
}

// PushedAttr marks an If with all following nodes moved into its branches, because the branches differ in
// rank. A branch may then be invalid for its types.
const PushedAttr = "pushed"

// branches infers the branches that may run. A branch with an error cannot run, if the other can and the node
// is marked with [PushedAttr].
func branches(c *op.Infer) error {
	var errs []error
	possible := ""
	for _, r := range liveBranches(c.Node) {
		var rank RankError
		switch err := c.Inner(r); {
		case errors.As(err, &rank):
			return err
		case err != nil:
			errs = append(errs, err)
		default:
			possible = r.Name
		}
	}
	if len(errs) == 0 {
		return nil
	}
	if possible == "" || !c.Node.Has(PushedAttr) {
		return errs[0]
	}
	c.Node.Attrs.Set(takenAttr, possible)
	c.Node.Attrs.Set(becauseAttr, errs[0].Error())
	return nil
}

// markTaken records the branch that runs, if it is known.
func markTaken(n *ir.Node) {
	n.Attrs.Delete(takenAttr)
	n.Attrs.Delete(becauseAttr)
	if value, known := condition(n.In[op.X]); known && value {
		n.Attrs.Set(takenAttr, "then_branch")
	} else if known {
		n.Attrs.Set(takenAttr, "else_branch")
	}
}

func liveBranches(n *ir.Node) []*ir.Region {
	if name := n.Str(takenAttr); name != "" {
		return []*ir.Region{n.Region(name)}
	}
	return []*ir.Region{n.Region("then_branch"), n.Region("else_branch")}
}

// join sets the type of output i, which is a or b. Sizes that differ become symbols.
func join(c *op.Infer, i int, a, b *ir.Value) error {
	if t, ok := oneElement(a.Type, b.Type); ok {
		c.Out(i, t)
		return nil
	}
	if err := sameKind(a.Type, b.Type); err != nil {
		return err
	}
	if a.Type.Kind != ir.Tensor {
		c.Out(i, op.JoinItems(a.Type, b.Type))
		return nil
	}
	if a == b || c.Node.Has(takenAttr) {
		c.Out(i, a.Type)
		if elems, ok := op.Content(a); ok {
			c.Know(i, elems)
		}
		return nil
	}
	shape := make([]ir.Dim, len(a.Type.Shape))
	for k, d := range a.Type.Shape {
		if !d.Equal(b.Type.Shape[k]) {
			d = c.Fresh("dim")
		}
		shape[k] = d
	}
	c.OutTensor(i, a.Type.Elem, shape...)
	ae, aok := op.Content(a)
	be, bok := op.Content(b)
	if aok && bok && slices.EqualFunc(ae, be, ir.Dim.Equal) {
		c.Know(i, ae)
	}
	return nil
}

// oneElement returns the type with more axes of two types that have one element each: most readers accept a
// scalar as a vector of one.
func oneElement(a, b ir.Type) (ir.Type, bool) {
	if a.Kind != ir.Tensor || !a.Known() || b.Kind != ir.Tensor || !b.Known() || a.Elem != b.Elem || len(a.Shape) == len(b.Shape) {
		return a, false
	}
	if len(a.Shape) < len(b.Shape) {
		a, b = b, a
	}
	return a, ir.Size(a.Shape).Is(1) && ir.Size(b.Shape).Is(1)
}

// expandIf replaces the node by the branch that runs.
func expandIf(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	r := liveBranches(n)[0]
	if n.Has(becauseAttr) {
		op.OwnNodes(b, "Require", 0, op.Attrs("want", r.Name == "then_branch", "because", n.Str(becauseAttr)), n.In[op.X])
	}
	b.Nodes = append(b.Nodes, r.Nodes...)
	return r.Results, nil
}
