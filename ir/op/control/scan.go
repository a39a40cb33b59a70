package control

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [Scan].
const (
	scanSequenceLens = iota
	scanInitialStateAndScanInputs
)

// Scan runs its body for each slice of its scan inputs. The body takes the state and the slices, and returns
// the state and slices of the scan outputs. It runs along the first axis; Transposes move other axes there.
//
// https://onnx.ai/onnx/operators/onnx__Scan.html
var Scan = &op.Op{
	Name:  "Scan",
	Since: []int{8, 9, 11, 16, 19, 21, 23, 24, 25},
	Attrs: []op.Attr{
		{Name: "body", Kind: op.Graph, Required: true},
		{Name: "directions", Kind: op.Ints, Until: 9},
		{Name: "num_scan_inputs", Kind: op.Int, Required: true},
		{Name: "scan_input_axes", Kind: op.Ints, Since: 9},
		{Name: "scan_input_directions", Kind: op.Ints, Since: 9},
		{Name: "scan_output_axes", Kind: op.Ints, Since: 9},
		{Name: "scan_output_directions", Kind: op.Ints, Since: 9},
	},
	Inputs: []op.Port{
		scanSequenceLens:              {Name: "sequence_lens", Types: elem.Int64s, Optional: true, Until: 9},
		scanInitialStateAndScanInputs: {Name: "initial_state_and_scan_inputs", Types: elem.Any, Variadic: true, Mixed: true, Min: 1},
	},
	Outputs: []op.Port{{Name: "final_state_and_scan_outputs", Types: elem.Any, Variadic: true, Mixed: true, Min: 1}},
	Infer:   inferScan,
	Upgrade: upgradeScan,
	Flow:    op.ScanFlow,
	Expand:  expandScan,
	Expands: func(n *ir.Node) bool {
		notZero := func(a int) bool { return a != 0 }
		return slices.ContainsFunc(n.Ints("scan_input_axes"), notZero) || slices.ContainsFunc(n.Ints("scan_output_axes"), notZero) ||
			slices.ContainsFunc(n.Out, func(v *ir.Value) bool { return growsBackwards(n, v) })
	},
}

func inferScan(c *op.Infer) error {
	body := c.Node.Region("body")
	states, err := checkScan(c.Node, body)
	if err != nil {
		return err
	}
	slicesOf, rows, err := scanned(c, states)
	if err != nil {
		return err
	}
	var own map[string]bool
	if c.Region != nil {
		for i, t := range slicesOf {
			body.Params[states+i].Type = t
		}
		if own, err = carry(c, body, body.Params[:states], body.Results[:states], c.In[:states]); err != nil {
			return err
		}
	}
	for i, p := range body.Params[:states] {
		c.Out(i, p.Type)
	}
	inside := boundIn(body)
	axes := c.Ints("scan_output_axes")
	for i, r := range body.Results[states:] {
		if c.Res(states+i) == nil {
			continue
		}
		if r.Type.Kind != ir.Tensor || !r.Type.Known() {
			return fmt.Errorf("result %q is %s, want a tensor of known rank to stack", r.Name, r.Type)
		}
		shape := slices.Clone(r.Type.Shape)
		for k, d := range shape {
			if insideOnly(c, d, inside) {
				shape[k] = freshBut(c, own, "dim")
			}
		}
		axis, err := axisOf(axes, i, len(r.Type.Shape)+1)
		if err != nil {
			return fmt.Errorf("scan output %d: %w", i, err)
		}
		c.OutTensor(states+i, r.Type.Elem, slices.Insert(shape, axis, rows)...)
	}
	return nil
}

// scanned returns the types of the slices and their number.
func scanned(c *op.Infer, states int) (types []ir.Type, rows ir.Dim, err error) {
	axes := c.Ints("scan_input_axes")
	for i := range c.In[states:] {
		t, err := c.Tensor(states + i)
		if err != nil {
			return nil, rows, err
		}
		if len(t.Shape) == 0 {
			return nil, rows, fmt.Errorf("scan input %q is a scalar", c.In[states+i].Name)
		}
		axis, err := axisOf(axes, i, len(t.Shape))
		if err != nil {
			return nil, rows, fmt.Errorf("scan input %q: %w", c.In[states+i].Name, err)
		}
		n := t.Shape[axis]
		a, aok := rows.Const()
		b, bok := n.Const()
		switch {
		case i == 0:
			rows = n
		case aok && bok && a != b:
			return nil, rows, fmt.Errorf("scan inputs have %d and %d slices", a, b)
		case bok:
			rows = n
		}
		types = append(types, ir.TensorOf(t.Elem, slices.Delete(slices.Clone(t.Shape), axis, axis+1)...))
	}
	return types, rows, nil
}

// axisOf returns element i of a list of axes, or 0 without a list.
func axisOf(axes []int, i, rank int) (int, error) {
	if i >= len(axes) {
		return 0, nil
	}
	return op.Axis(axes[i], rank)
}

// checkScan checks the counts of a Scan and returns the number of states.
func checkScan(n *ir.Node, body *ir.Region) (states int, err error) {
	scanned := n.Int("num_scan_inputs")
	states = len(n.In) - scanned
	switch {
	case body == nil:
		return 0, fmt.Errorf("has no body")
	case scanned < 1 || states < 0:
		return 0, fmt.Errorf("num_scan_inputs is %d, want 1 to %d", scanned, len(n.In))
	case len(body.Params) != len(n.In):
		return 0, fmt.Errorf("body has %d inputs, want %d", len(body.Params), len(n.In))
	case len(body.Results) < states || len(n.Out) > len(body.Results):
		return 0, fmt.Errorf("body has %d results, want %d states and at least as many as the %d outputs", len(body.Results), states, len(n.Out))
	}
	for i, v := range n.In {
		if v == nil {
			return 0, fmt.Errorf("input %d is missing", i)
		}
	}
	for _, a := range []struct {
		name string
		want int
	}{
		{"scan_input_axes", scanned},
		{"scan_input_directions", scanned},
		{"scan_output_axes", len(body.Results) - states},
		{"scan_output_directions", len(body.Results) - states},
	} {
		if got := len(n.Ints(a.name)); got != 0 && got != a.want {
			return 0, fmt.Errorf("%s has %d elements, want %d", a.name, got, a.want)
		}
	}
	return states, nil
}
