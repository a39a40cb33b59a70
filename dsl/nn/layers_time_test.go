package nn_test

import (
	"math"
	"slices"

	"github.com/bbgen/bbgen/dsl/nn"
)

// attention is two heads over three tokens of four numbers.
func attention(causal bool) layer {
	m := &nn.MultiHeadAttention{Size: 4, Heads: 2, Causal: causal}
	x := random(9, 2, 3, 4)
	return layer{m, x, []int{2, 3, 4}, func() []float64 {
		var y []float64
		for tokens := range slices.Chunk(data(x), 12) {
			y = append(y, attend(m, tokens, causal)...)
		}
		return affine(y, m.OutProj, 6)
	}}
}

// attend is attention of one sequence, before the output projection.
func attend(m *nn.MultiHeadAttention, x []float64, causal bool) []float64 {
	const tokens, size, head = 3, 4, 2
	p := product(x, data(m.InProjWeight.Data), data(m.InProjBias.Data), tokens, size, 3*size)
	part := func(which, token, h int) []float64 {
		at := token*3*size + which*size + h*head
		return p[at : at+head]
	}
	y := make([]float64, tokens*size)
	for q := range tokens {
		for h := range size / head {
			weights, sum := make([]float64, tokens), 0.0
			for k := range tokens {
				if k <= q || !causal {
					a, b := part(0, q, h), part(1, k, h)
					weights[k] = math.Exp((a[0]*b[0] + a[1]*b[1]) / math.Sqrt(head))
				}
				sum += weights[k]
			}
			for k, w := range weights {
				for i, v := range part(2, k, h) {
					y[q*size+h*head+i] += w / sum * v
				}
			}
		}
	}
	return y
}

const steps, inputs, hidden = 4, 3, 2

func lstm() layer {
	l := &nn.LSTM{In: inputs, Hidden: hidden}
	x := random(10, 1, steps, inputs)
	return layer{l, x, []int{1, steps, hidden}, func() []float64 {
		return states(data(x), l.WeightIH, l.WeightHH, l.Bias, 0, false, lstmCell())
	}}
}

func gru() layer {
	l := &nn.GRU{In: inputs, Hidden: hidden}
	x := random(10, 1, steps, inputs)
	return layer{l, x, []int{1, steps, hidden}, func() []float64 {
		return states(data(x), l.WeightIH, l.WeightHH, l.Bias, 0, false, gruCell)
	}}
}

func lstmBoth() layer {
	l := &nn.LSTM{In: inputs, Hidden: hidden, Bidirectional: true}
	x := random(10, 1, steps, inputs)
	return layer{l, x, []int{1, steps, 2 * hidden}, func() []float64 {
		a := states(data(x), l.WeightIH, l.WeightHH, l.Bias, 0, false, lstmCell())
		b := states(data(x), l.WeightIH, l.WeightHH, l.Bias, 1, true, lstmCell())
		var y []float64
		for t := range steps {
			y = append(append(y, a[t*hidden:][:hidden]...), b[t*hidden:][:hidden]...)
		}
		return y
	}}
}

func lastState() layer {
	l := &nn.GRU{In: inputs, Hidden: hidden, Last: true}
	x := random(10, 1, steps, inputs)
	return layer{l, x, []int{1, hidden}, func() []float64 {
		return states(data(x), l.WeightIH, l.WeightHH, l.Bias, 0, false, gruCell)[(steps-1)*hidden:]
	}}
}

// states returns the states after each step of one direction. The cell gets the products of the gates with
// the input and with the previous state, including both biases.
func states(x []float64, ih, hh, bias *nn.Parameter, direction int, backward bool, cell func(h, fromX, fromH []float64) []float64) []float64 {
	n := ih.Shape[1]
	w, r, b := data(ih.Data)[direction*n*inputs:], data(hh.Data)[direction*n*hidden:], data(bias.Data)[direction*2*n:]
	h, y := make([]float64, hidden), make([]float64, steps*hidden)
	for i := range steps {
		if backward {
			i = steps - 1 - i
		}
		fromX := product(x[i*inputs:], w, b, 1, inputs, n)
		fromH := product(h, r, b[n:], 1, hidden, n)
		h = cell(h, fromX, fromH)
		copy(y[i*hidden:], h)
	}
	return y
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func lstmCell() func(h, fromX, fromH []float64) []float64 {
	c := make([]float64, hidden)
	return func(_, fromX, fromH []float64) []float64 {
		h := make([]float64, hidden)
		for k := range h {
			gate := func(i int) float64 { return fromX[i*hidden+k] + fromH[i*hidden+k] }
			c[k] = sigmoid(gate(2))*c[k] + sigmoid(gate(0))*math.Tanh(gate(3))
			h[k] = sigmoid(gate(1)) * math.Tanh(c[k])
		}
		return h
	}
}

func gruCell(h, fromX, fromH []float64) []float64 {
	next := make([]float64, hidden)
	for k := range next {
		z := sigmoid(fromX[k] + fromH[k])
		r := sigmoid(fromX[hidden+k] + fromH[hidden+k])
		n := math.Tanh(fromX[2*hidden+k] + r*fromH[2*hidden+k])
		next[k] = (1-z)*n + z*h[k]
	}
	return next
}
