package control

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [Loop].
const (
	loopM = iota
	loopCond
	loopVInitial
)

// Loop runs its body up to a number of times and while a condition is true. The body takes the number of the
// iteration, the condition and the carried values. It returns the condition, the carried values and the
// values that are stacked along a new first axis.
//
// https://onnx.ai/onnx/operators/onnx__Loop.html
var Loop = &op.Op{
	Name:  "Loop",
	Since: []int{1, 11, 13, 16, 19, 21, 23, 24, 25},
	Attrs: []op.Attr{{Name: "body", Kind: op.Graph, Required: true}},
	Inputs: []op.Port{
		loopM:        {Name: "M", Types: elem.Indices, Optional: true},
		loopCond:     {Name: "cond", Types: elem.Bools, Optional: true},
		loopVInitial: {Name: "v_initial", Variadic: true, Mixed: true},
	},
	Outputs: []op.Port{{Name: "v_final_and_scan_outputs", Variadic: true, Mixed: true, Min: 1}},
	Infer:   inferLoop,
	Flow:    op.Iterate,
}

func inferLoop(c *op.Infer) error {
	for len(c.In) < 2 {
		c.In = append(c.In, nil)
	}
	body := c.Node.Region("body")
	if err := checkLoop(c.Node, body); err != nil {
		return err
	}
	carried := len(c.In) - 2
	params, results := body.Params[2:], body.Results[1:1+carried]
	var own map[string]bool
	if c.Region != nil {
		hoistInvariants(c.Node, body)
		body.Params[0].Type = ir.TensorOf(tensor.Int64)
		body.Params[1].Type = ir.TensorOf(tensor.Bool)
		var err error
		if own, err = carry(c, body, params, results, c.In[2:]); err != nil {
			return err
		}
	}
	if err := checkFlag(body.Results[0], tensor.Bool, "condition"); err != nil {
		return err
	}
	for i, p := range params {
		c.Out(i, p.Type)
	}
	return stacked(c, body, carried, own)
}

func checkLoop(n *ir.Node, body *ir.Region) error {
	if body == nil {
		return fmt.Errorf("has no body")
	}
	if err := checkFlag(n.In[loopM], tensor.Int64, "trip count"); err != nil {
		return err
	}
	if err := checkFlag(n.In[loopCond], tensor.Bool, "condition"); err != nil {
		return err
	}
	carried := len(n.In) - 2
	if len(body.Params) != 2+carried {
		return fmt.Errorf("body has %d inputs, want %d: iteration, condition and the carried values", len(body.Params), 2+carried)
	}
	if len(body.Results) < 1+carried {
		return fmt.Errorf("body has %d results, want at least %d: condition and the carried values", len(body.Results), 1+carried)
	}
	if len(n.Out) > len(body.Results)-1 {
		return fmt.Errorf("has %d outputs, but its body gives %d", len(n.Out), len(body.Results)-1)
	}
	for i, v := range n.In[2:] {
		if v == nil {
			return fmt.Errorf("initial value of carried value %d is missing", i)
		}
	}
	if n.In[loopM] == nil && always(n, body) {
		return fmt.Errorf("never ends: it has no trip count and its condition is always true")
	}
	return nil
}

// always reports whether the condition is always true.
func always(n *ir.Node, body *ir.Region) bool {
	if n.In[loopCond] != nil {
		if value, known := condition(n.In[loopCond]); !known || !value {
			return false
		}
	}
	next := op.Source(body.Results[0])
	value, known := condition(next)
	return next == body.Params[1] || known && value
}

// hoistInvariants makes the body read a carried value that never changes directly from outside, so that its
// known content is known inside.
func hoistInvariants(n *ir.Node, body *ir.Region) {
	for i, v := range n.In[2:] {
		p := body.Params[2+i]
		if op.Source(body.Results[1+i]) == p {
			body.ReplaceAll(p, v)
			body.Results[1+i] = p
		}
	}
}

// stacked sets the types of the outputs that collect results of iterations. The symbols own are those of
// carried values.
func stacked(c *op.Infer, body *ir.Region, carried int, own map[string]bool) error {
	var trips ir.Dim
	counted := false
	inside := boundIn(body)
	for i, r := range body.Results[1+carried:] {
		if c.Res(carried+i) == nil {
			continue
		}
		if r.Type.Kind != ir.Tensor || !r.Type.Known() {
			return fmt.Errorf("result %q is %s, want a tensor of known rank to stack", r.Name, r.Type)
		}
		if !counted {
			trips, counted = tripCount(c, body, own), true
		}
		shape := []ir.Dim{trips}
		for _, d := range r.Type.Shape {
			if insideOnly(c, d, inside) {
				d = freshBut(c, own, "dim")
			}
			shape = append(shape, d)
		}
		c.OutTensor(carried+i, r.Type.Elem, shape...)
	}
	return nil
}

// insideOnly reports whether d depends on values computed in the body, or on sizes of carried values.
func insideOnly(c *op.Infer, d ir.Dim, inside map[string]bool) bool {
	own := map[string]bool{}
	for _, s := range c.Syms {
		own[s] = true
	}
	return uses(d, inside) || uses(d, own)
}

// tripCount returns the number of iterations.
func tripCount(c *op.Infer, body *ir.Region, own map[string]bool) ir.Dim {
	if elems, ok := c.Content(loopM); ok && len(elems) == 1 && always(c.Node, body) {
		if n, ok := elems[0].Const(); ok {
			return ir.C(max(n, 0))
		}
	}
	return freshBut(c, own, "trips")
}
