package control

import (
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// expandScan returns the Scan along the first axis of transposed inputs. Its outputs are transposed back, and
// reversed if they can only grow forward.
func expandScan(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	states := len(n.In) - n.Int("num_scan_inputs")
	s, back, err := scanOfRows(b, n, states)
	if err != nil {
		return nil, err
	}
	outs := append([]*ir.Value{}, b.Add(s)...)
	if err := b.Err(); err != nil {
		return nil, err
	}
	axes := n.Ints("scan_output_axes")
	for i, v := range outs {
		if i < states || v == nil {
			continue
		}
		axis, err := axisOf(axes, i-states, len(v.Type.Shape))
		if err != nil {
			return nil, err
		}
		if back[i] {
			v = b.Op("Slice", v, b.Ints(-1), b.Ints(math.MinInt), b.Ints(0), b.Ints(-1))
		}
		outs[i] = moveAxis(b, v, 0, axis)
	}
	return outs, nil
}

// scanOfRows returns the Scan whose inputs and outputs all grow along axis 0, and which outputs of it are to be
// reversed.
func scanOfRows(b *ir.Builder, n *ir.Node, states int) (s *ir.Node, back []bool, err error) {
	s = &ir.Node{Op: "Scan", Name: n.Name, Class: n.Class, Pos: n.Pos, Regions: n.Regions, Syms: n.Syms}
	for _, a := range n.Attrs {
		if a.Name != "scan_input_axes" && a.Name != "scan_output_axes" {
			s.Attrs.Set(a.Name, a.Value)
		}
	}
	axes := n.Ints("scan_input_axes")
	for i, v := range n.In {
		if i >= states {
			axis, err := axisOf(axes, i-states, len(v.Type.Shape))
			if err != nil {
				return nil, nil, err
			}
			v = moveAxis(b, v, axis, 0)
		}
		s.In = append(s.In, v)
	}
	back = make([]bool, len(n.Out))
	given, _ := n.Attrs.Lookup("scan_output_directions").([]int64)
	directions := slices.Clone(given)
	for i, v := range n.Out {
		var out *ir.Value
		if back[i] = growsBackwards(n, v); back[i] {
			directions[i-states] = 0
		}
		if v != nil {
			out = &ir.Value{Name: b.Module.FreshName(v.Name + "_rows"), Def: s}
		}
		s.Out = append(s.Out, out)
	}
	if directions != nil {
		s.Attrs.Set("scan_output_directions", directions)
	}
	return s, back, nil
}

// growsBackwards reports whether v collects rows of a size that only the body knows, starting with the last.
func growsBackwards(n *ir.Node, v *ir.Value) bool {
	i := slices.Index(n.Out, v) - len(n.In) + n.Int("num_scan_inputs")
	back := n.Ints("scan_output_directions")
	if v == nil || i < 0 || i >= len(back) || back[i] != 1 {
		return false
	}
	return slices.ContainsFunc(v.Type.Shape, func(d ir.Dim) bool {
		s, ok := d.Symbol()
		return ok && slices.Contains(n.Syms, s)
	})
}

// moveAxis returns v with one axis moved.
func moveAxis(b *ir.Builder, v *ir.Value, from, to int) *ir.Value {
	if from == to {
		return v
	}
	var perm []int64
	for i := range v.Type.Shape {
		if i != from {
			perm = append(perm, int64(i))
		}
	}
	perm = append(perm[:to], append([]int64{int64(from)}, perm[to:]...)...)
	return b.OpA("Transpose", ir.Attrs{{Name: "perm", Value: perm}}, v)
}

// upgradeScan upgrades a Scan of opset 8, with a batch axis before the axis of the sequence, to a Scan over
// the batch with a Scan over the sequence as its body.
func upgradeScan(b *ir.Builder, n *ir.Node) error {
	if n.Version >= 9 {
		return nil
	}
	body := n.Region("body")
	if body == nil || len(n.In) == 0 {
		return fmt.Errorf("has no body or no inputs")
	}
	if n.Arg(scanSequenceLens) != nil {
		return fmt.Errorf("sequence_lens are not supported in opset 8; later ones have none")
	}
	m := b.Module
	inner := &ir.Node{Op: "Scan", Name: n.Name + "_sequence", Version: 9, Class: n.Class, Pos: n.Pos, Regions: []*ir.Region{body}}
	inner.Attrs.Set("num_scan_inputs", int64(n.Int("num_scan_inputs")))
	if d := n.Attrs.Lookup("directions"); d != nil {
		inner.Attrs.Set("scan_input_directions", d)
	}
	outer := &ir.Region{Name: "body", Nodes: []*ir.Node{inner}}
	for _, v := range n.In[1:] {
		if v == nil {
			return fmt.Errorf("an input is missing")
		}
		p := &ir.Value{Name: m.FreshName(v.Name + "_batch")}
		outer.Params = append(outer.Params, p)
		inner.In = append(inner.In, p)
	}
	for _, r := range body.Results {
		v := &ir.Value{Name: m.FreshName(r.Name + "_batch"), Def: inner}
		inner.Out = append(inner.Out, v)
		outer.Results = append(outer.Results, v)
	}
	n.In = n.In[1:]
	n.Attrs.Delete("directions")
	n.Attrs.Set("num_scan_inputs", int64(len(n.In)))
	n.Regions = []*ir.Region{outer}
	return nil
}
