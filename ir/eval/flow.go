package eval

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// flow runs a control flow node.
func (e *env) flow(o *op.Op, n *ir.Node) error {
	switch o.Flow {
	case op.Branch:
		return e.branch(n)
	case op.Iterate:
		return e.iterate(n)
	case op.ScanFlow:
		return e.scan(n)
	}
	return fmt.Errorf("BUG: flow %d", o.Flow)
}

// finish assigns the outputs of n and binds the symbols of their types.
func (e *env) finish(n *ir.Node, results []tensor.Value) {
	for i, v := range n.Out {
		if v == nil {
			continue
		}
		e.vals[v] = results[i]
		t, ok := results[i].(*tensor.Tensor)
		if !ok {
			continue
		}
		for k, d := range v.Type.Shape {
			if s, ok := d.Symbol(); ok && k < len(t.Shape) {
				e.syms[s] = t.Shape[k]
			}
		}
	}
}

func (e *env) branch(n *ir.Node) error {
	r := n.Region("else_branch")
	if e.truth(n.In[0]) {
		r = n.Region("then_branch")
	}
	results, err := e.region(r)
	if err != nil {
		return err
	}
	for i, v := range n.Out {
		if v != nil {
			results[i] = ofRank(results[i], v.Type)
		}
	}
	e.finish(n, results)
	return nil
}

// ofRank gives a tensor of one element the number of axes that its type has: branches may differ in it.
func ofRank(v tensor.Value, t ir.Type) tensor.Value {
	x, ok := v.(*tensor.Tensor)
	if !ok || t.Kind != ir.Tensor || !t.Known() || len(x.Shape) == len(t.Shape) {
		return v
	}
	y := *x
	y.Shape = slices.Repeat([]int{1}, len(t.Shape))
	return &y
}

func (e *env) truth(v *ir.Value) bool { return e.value(v).(*tensor.Tensor).Data.([]bool)[0] }

func (e *env) iterate(n *ir.Node) error {
	body := n.Region("body")
	trips, cond := int64(1)<<62, true
	if v := n.Arg(0); v != nil {
		trips = e.value(v).(*tensor.Tensor).Data.([]int64)[0]
	}
	if v := n.Arg(1); v != nil {
		cond = e.truth(v)
	}
	carried := make([]tensor.Value, len(n.In)-2)
	for i, v := range n.In[2:] {
		carried[i] = e.value(v)
	}
	scans := make([][]*tensor.Tensor, len(body.Results)-1-len(carried))
	for i := int64(0); i < trips && cond; i++ {
		if err := e.stopped(); err != nil { // a body may have no nodes
			return err
		}
		e.bindParam(body.Params[0], tensor.Of([]int64{i}))
		e.bindParam(body.Params[1], tensor.Of([]bool{cond}))
		for k, x := range carried {
			e.bindParam(body.Params[2+k], x)
		}
		results, err := e.region(body)
		if err != nil {
			return err
		}
		cond = results[0].(*tensor.Tensor).Data.([]bool)[0]
		copy(carried, results[1:])
		for k := range scans {
			scans[k] = append(scans[k], e.scanned(results[1+len(carried)+k]))
		}
	}
	out := append([]tensor.Value{}, carried...)
	for k, items := range scans {
		out = append(out, e.stack(body.Results[1+len(carried)+k], items))
	}
	e.finish(n, out)
	return nil
}

// bindParam assigns a value to a parameter of a body. The symbols of its type are rebound.
func (e *env) bindParam(p *ir.Value, x tensor.Value) {
	e.vals[p] = x
	if t, ok := x.(*tensor.Tensor); ok {
		for i, d := range p.Type.Shape {
			if s, ok := d.Symbol(); ok {
				e.syms[s] = t.Shape[i]
			}
		}
		e.bindElems(p)
	}
}

// scanned returns a copy of a result of one iteration. Its header counts, too: a tensor of no elements may be the result
// of very many.
func (e *env) scanned(x tensor.Value) *tensor.Tensor {
	e.takeBytes(headerBytes)
	return e.clone(x.(*tensor.Tensor))
}

// stack joins the values of v from all iterations along a new first axis.
func (e *env) stack(v *ir.Value, items []*tensor.Tensor) *tensor.Tensor {
	var shape []int
	if len(items) > 0 {
		shape = items[0].Shape
	} else {
		for _, d := range v.Type.Shape {
			n, _ := d.Eval(func(s string) (int, bool) { x, ok := e.syms[s]; return x, ok })
			shape = append(shape, n)
		}
	}
	shape = append([]int{len(items)}, shape...)
	e.take(v.Type.Elem, shape)
	out := tensor.New(v.Type.Elem, shape...)
	at := 0
	for _, t := range items {
		copyElements(out, at, t, 0, t.Len())
		at += t.Len()
	}
	return out
}

// scan runs a Scan. Its scan axes are the first ones after inference.
func (e *env) scan(n *ir.Node) error {
	body := n.Region("body")
	scanned := n.Int("num_scan_inputs")
	states := len(n.In) - scanned
	carried := make([]tensor.Value, states)
	for i, v := range n.In[:states] {
		carried[i] = e.value(v)
	}
	inputs := make([]*tensor.Tensor, scanned)
	for i, v := range n.In[states:] {
		inputs[i] = e.value(v).(*tensor.Tensor)
	}
	trips := inputs[0].Shape[0]
	back := n.Ints("scan_input_directions")
	scans := make([][]*tensor.Tensor, len(body.Results)-states)
	for i := range trips {
		if err := e.stopped(); err != nil { // a body may have no nodes
			return err
		}
		for k, x := range carried {
			e.bindParam(body.Params[k], x)
		}
		for k, x := range inputs {
			at := i
			if k < len(back) && back[k] == 1 {
				at = trips - 1 - i
			}
			e.bindParam(body.Params[states+k], slice(x, at))
		}
		results, err := e.region(body)
		if err != nil {
			return err
		}
		copy(carried, results)
		for k := range scans {
			scans[k] = append(scans[k], e.scanned(results[states+k]))
		}
	}
	out := carried
	outBack := n.Ints("scan_output_directions")
	for k, items := range scans {
		if k < len(outBack) && outBack[k] == 1 {
			slices.Reverse(items)
		}
		out = append(out, e.stack(body.Results[states+k], items))
	}
	e.finish(n, out)
	return nil
}

// slice returns row i of t.
func slice(t *tensor.Tensor, i int) *tensor.Tensor {
	out := tensor.New(t.DType, t.Shape[1:]...)
	copyElements(out, 0, t, i*out.Len(), out.Len())
	return out
}

// copyElements copies n elements from one tensor to another of its type.
func copyElements(dst *tensor.Tensor, to int, src *tensor.Tensor, from, n int) {
	if dst.DType == tensor.String {
		copy(tensor.Data[string](dst)[to:], tensor.Data[string](src)[from:from+n])
		return
	}
	size := dst.DType.Size()
	copy(dst.Bytes()[to*size:], src.Bytes()[from*size:(from+n)*size])
}
