package nn

import (
	"math"

	"github.com/bbgen/bbgen/dsl"
)

// LSTM is a layer of long short-term memory. Its input has the axes batch, time and In, and its output batch,
// time and Hidden; two directions are concatenated. Gates and weights are in ONNX's order: input, output,
// forget, cell.
//
// Hochreiter and Schmidhuber, Long Short-Term Memory, 1997,
// https://doi.org/10.1162/neco.1997.9.8.1735
type LSTM struct {
	In, Hidden    int
	Bidirectional bool
	Last          bool // return only the state after the last step: batch and Hidden

	WeightIH *Parameter // [directions, 4·Hidden, In]
	WeightHH *Parameter // [directions, 4·Hidden, Hidden]
	Bias     *Parameter // [directions, 8·Hidden]: of the input, of the state
}

// GRU is a layer of gated recurrent units, otherwise like [LSTM]. Its gates are update, reset, hidden; the
// reset is applied after the product with the state, as in PyTorch.
//
// Cho et al., https://arxiv.org/abs/1406.1078
type GRU struct {
	In, Hidden    int
	Bidirectional bool
	Last          bool // return only the state after the last step: batch and Hidden

	WeightIH *Parameter // [directions, 3·Hidden, In]
	WeightHH *Parameter // [directions, 3·Hidden, Hidden]
	Bias     *Parameter // [directions, 6·Hidden]: of the input, of the state
}

func (l *LSTM) build() {
	l.cell().build(&l.WeightIH, &l.WeightHH, &l.Bias)
}

func (l *GRU) build() {
	l.cell().build(&l.WeightIH, &l.WeightHH, &l.Bias)
}

// Forward returns the states after each step.
func (l *LSTM) Forward(g *dsl.Graph, x dsl.Value) dsl.Value {
	return l.cell().forward(g, x, l.WeightIH, l.WeightHH, l.Bias)
}

// Forward returns the states after each step.
func (l *GRU) Forward(g *dsl.Graph, x dsl.Value) dsl.Value {
	return l.cell().forward(g, x, l.WeightIH, l.WeightHH, l.Bias)
}

func (l *LSTM) cell() cell {
	return cell{op: "LSTM", outs: 3, gates: 4, in: l.In, hidden: l.Hidden, both: l.Bidirectional, last: l.Last, attrs: dsl.Attrs{}}
}

func (l *GRU) cell() cell {
	a := dsl.Attrs{"linear_before_reset": 1}
	return cell{op: "GRU", outs: 2, gates: 3, in: l.In, hidden: l.Hidden, both: l.Bidirectional, last: l.Last, attrs: a}
}

// cell holds the common parameters of recurrent layers.
type cell struct {
	op          string
	outs, gates int
	in, hidden  int
	both, last  bool
	attrs       dsl.Attrs
}

func (c cell) directions() int {
	if c.both {
		return 2
	}
	return 1
}

// build creates the parameters that are nil, uniform within 1/√hidden.
func (c cell) build(ih, hh, bias **Parameter) {
	k := 1 / math.Sqrt(float64(max(c.hidden, 1)))
	d, n := c.directions(), c.gates*c.hidden
	for p, shape := range map[**Parameter][]int{ih: {d, n, c.in}, hh: {d, n, c.hidden}, bias: {d, 2 * n}} {
		if *p == nil {
			*p = &Parameter{Shape: shape, Init: Uniform(-k, k)}
		}
	}
}

func (c cell) forward(g *dsl.Graph, x dsl.Value, ih, hh, bias *Parameter) dsl.Value {
	if !rank(g, c.op, x, 3) || !size(g, c.op, "In", x, 2, c.in) {
		return x
	}
	c.attrs["hidden_size"] = c.hidden
	if c.both {
		c.attrs["direction"] = "bidirectional"
	}
	time := g.Transpose(x, 1, 0, 2)
	out := g.OpN(c.op, c.outs, c.attrs, time, ih.Value(g), hh.Value(g), bias.Value(g))
	if c.last { // directions, batch, hidden
		return g.Reshape(g.Transpose(out[1], 1, 0, 2), 0, c.directions()*c.hidden)
	}
	// time, directions, batch, hidden
	return g.Reshape(g.Transpose(out[0], 2, 0, 1, 3), 0, 0, c.directions()*c.hidden)
}
