package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// recurrentModel is the layers of ONNX's specification in float64, one sample and one unit at a time.
type recurrentModel struct {
	o     Recurrent
	in    RecurrentIn[float64]
	w, r  []float64
	gates int // rows of w and r for each unit
	yh    []float64
	yc    []float64
	y     []float64
}

// pre is the argument of a gate of unit j: the products of the input and the state, and their biases.
func (m *recurrentModel) pre(d, gate, j int, x, h []float64) float64 {
	return m.input(d, gate, j, x) + m.state(d, gate, j, h)
}

func (m *recurrentModel) input(d, gate, j int, x []float64) (s float64) {
	n := m.o.Hidden
	at := gate*n + j
	for k, v := range x {
		s += v * m.w[(d*m.gates*n+at)*m.o.Input+k]
	}
	if m.in.B != nil {
		s += m.in.B[2*d*m.gates*n+at]
	}
	return s
}

func (m *recurrentModel) state(d, gate, j int, h []float64) (s float64) {
	n := m.o.Hidden
	at := gate*n + j
	for k, v := range h {
		s += v * m.r[(d*m.gates*n+at)*n+k]
	}
	if m.in.B != nil {
		s += m.in.B[(2*d+1)*m.gates*n+at]
	}
	return s
}

// apply is a function of a gate, whose argument is clipped.
func (m *recurrentModel) apply(g Gate, x float64) float64 {
	if c := m.o.Clip; c > 0 {
		x = math.Max(-c, math.Min(c, x))
	}
	return exactGate(g, x)
}

func exactGate(g Gate, x float64) float64 {
	switch g.Kind {
	case GateSigmoid:
		return 1 / (1 + math.Exp(-x))
	case GateTanh:
		return math.Tanh(x)
	case GateRelu:
		return math.Max(0, x)
	case GateAffine:
		return g.Alpha*x + g.Beta
	case GateLeakyRelu:
		if x < 0 {
			return g.Alpha * x
		}
		return x
	case GateThresholdedRelu:
		if x > g.Alpha {
			return x
		}
		return 0
	case GateScaledTanh:
		return g.Alpha * math.Tanh(g.Beta*x)
	case GateHardSigmoid:
		return math.Min(1, math.Max(0, g.Alpha*x+g.Beta))
	case GateElu:
		if x < 0 {
			return g.Alpha * (math.Exp(x) - 1)
		}
		return x
	case GateSoftsign:
		return x / (1 + math.Abs(x))
	}
	return math.Log(1 + math.Exp(x))
}

// run takes the steps of each sample that it has, from the last one on in a direction that is reversed.
func (m *recurrentModel) run(step func(d int, x, h, c []float64) (nextH, nextC []float64)) {
	o := m.o
	n := o.Hidden
	stateAt := func(d, k int) int { return (d*o.Batch + k) * n }
	rowAt := func(t, k int) int { return (t*o.Batch + k) * o.Input }
	outAt := func(t, d, k int) int { return ((t*o.Directions+d)*o.Batch + k) * n }
	if o.BatchFirst {
		stateAt = func(d, k int) int { return (k*o.Directions + d) * n }
		rowAt = func(t, k int) int { return (k*o.Seq + t) * o.Input }
		outAt = func(t, d, k int) int { return ((k*o.Seq+t)*o.Directions + d) * n }
	}
	m.y = make([]float64, o.Seq*o.Directions*o.Batch*n)
	m.yh, m.yc = make([]float64, o.Directions*o.Batch*n), make([]float64, o.Directions*o.Batch*n)
	for d := range o.Directions {
		for k := range o.Batch {
			h, c := make([]float64, n), make([]float64, n)
			if m.in.H0 != nil {
				copy(h, m.in.H0[stateAt(d, k):])
			}
			if m.in.C0 != nil {
				copy(c, m.in.C0[stateAt(d, k):])
			}
			steps := o.Seq
			if m.in.Lens != nil {
				steps = int(m.in.Lens[k])
			}
			for s := range steps {
				t := s
				if d == 1 || o.Reverse {
					t = steps - 1 - s
				}
				h, c = step(d, m.in.X[rowAt(t, k):][:o.Input], h, c)
				copy(m.y[outAt(t, d, k):][:n], h)
			}
			copy(m.yh[stateAt(d, k):][:n], h)
			copy(m.yc[stateAt(d, k):][:n], c)
		}
	}
}

func (m *recurrentModel) functions(d int) (f, g, h Gate) {
	if d == 1 {
		return m.o.F2, m.o.G2, m.o.H2
	}
	return m.o.F, m.o.G, m.o.H
}

func (m *recurrentModel) lstm() {
	n := m.o.Hidden
	peep := func(d, which, j int, c float64) float64 {
		if m.in.P == nil {
			return 0
		}
		return m.in.P[(3*d+which)*n+j] * c
	}
	m.run(func(d int, x, h, c []float64) (nextH, nextC []float64) {
		f, g, last := m.functions(d)
		nextH, nextC = make([]float64, n), make([]float64, n)
		for j := range n {
			in := m.apply(f, m.pre(d, 0, j, x, h)+peep(d, 0, j, c[j]))
			forget := 1 - in
			if !m.o.InputForget {
				forget = m.apply(f, m.pre(d, 2, j, x, h)+peep(d, 2, j, c[j]))
			}
			nextC[j] = forget*c[j] + in*m.apply(g, m.pre(d, 3, j, x, h))
			out := m.apply(f, m.pre(d, 1, j, x, h)+peep(d, 1, j, nextC[j]))
			nextH[j] = out * exactGate(last, nextC[j])
		}
		return nextH, nextC
	})
}

func (m *recurrentModel) gru() {
	n := m.o.Hidden
	m.run(func(d int, x, h, c []float64) (nextH, nextC []float64) {
		f, g, _ := m.functions(d)
		reset, kept := make([]float64, n), make([]float64, n)
		for j := range n {
			reset[j] = m.apply(f, m.pre(d, 1, j, x, h))
			kept[j] = reset[j] * h[j]
		}
		nextH = make([]float64, n)
		for j := range n {
			z := m.apply(f, m.pre(d, 0, j, x, h))
			arg := m.pre(d, 2, j, x, kept)
			if m.o.LinearBeforeReset {
				arg = m.input(d, 2, j, x) + reset[j]*m.state(d, 2, j, h)
			}
			nextH[j] = (1-z)*m.apply(g, arg) + z*h[j]
		}
		return nextH, c
	})
}

func (m *recurrentModel) rnn() {
	m.run(func(d int, x, h, c []float64) (nextH, nextC []float64) {
		f, _, _ := m.functions(d)
		nextH = make([]float64, len(h))
		for j := range nextH {
			nextH[j] = m.apply(f, m.pre(d, 0, j, x, h))
		}
		return nextH, c
	})
}

// TestRecurrentModel compares the layers with their specification for random sizes, layouts, lengths, functions, optional inputs
// and attributes, in both precisions.
func TestRecurrentModel(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(8, 9))
		for range 150 {
			m := randomRecurrent(rng)
			t.Run(fmt.Sprintf("%+v", m.o), func(t *testing.T) { testRecurrentModel(t, rng, m) })
		}
	})
}

func randomRecurrent(rng *rand.Rand) *recurrentModel {
	yes := func() bool { return rng.IntN(2) == 0 }
	gate := func() Gate {
		return Gate{GateKind(rng.IntN(int(GateSoftplus) + 1)), 0.3 + rng.Float64()/2, 0.2 + rng.Float64()/2}
	}
	o := Recurrent{
		Seq: 1 + rng.IntN(5), Batch: 1 + rng.IntN(4), Input: 1 + rng.IntN(5), Hidden: 1 + rng.IntN(9), Directions: 1 + rng.IntN(2),
		BatchFirst: yes(), InputForget: yes(), LinearBeforeReset: yes(),
		F: gate(), G: gate(), H: gate(), F2: gate(), G2: gate(), H2: gate(),
	}
	if o.Directions == 1 {
		o.Reverse = yes()
	}
	if yes() {
		o.Clip = 0.1 + rng.Float64()
	}
	m := &recurrentModel{o: o}
	m.in.X = uniform[float64](rng, o.Seq*o.Batch*o.Input)
	if yes() {
		m.in.Lens = make([]int32, o.Batch)
		for k := range m.in.Lens {
			m.in.Lens[k] = int32(rng.IntN(o.Seq + 1))
		}
	}
	if yes() {
		m.in.H0 = uniform[float64](rng, o.Directions*o.Batch*o.Hidden)
	}
	if yes() {
		m.in.C0 = uniform[float64](rng, o.Directions*o.Batch*o.Hidden)
	}
	if yes() {
		m.in.P = uniform[float64](rng, o.Directions*3*o.Hidden)
	}
	return m
}

func testRecurrentModel(t *testing.T, rng *rand.Rand, m *recurrentModel) {
	o := m.o
	biased := rng.IntN(2) == 0
	for _, layer := range []struct {
		name  string
		gates int
		exact func()
	}{{"LSTM", 4, m.lstm}, {"GRU", 3, m.gru}, {"RNN", 1, m.rnn}} {
		m.gates = layer.gates
		rows := o.Directions * layer.gates * o.Hidden
		m.w, m.r = uniform[float64](rng, rows*o.Input), uniform[float64](rng, rows*o.Hidden)
		if m.in.B = nil; biased {
			m.in.B = uniform[float64](rng, 2*rows)
		}
		layer.exact()
		testRecurrentLayer(t, layer.name, m, 1e-12, func(x []float64) []float64 { return x })
		if slices.Max(m.y) < 100 && slices.Min(m.y) > -100 { // functions without a bound may grow errors as fast as states
			testRecurrentLayer(t, layer.name+" in float32", m, 5e-5, narrow32)
		}
	}
}

func testRecurrentLayer[T Float](t *testing.T, name string, m *recurrentModel, tol float64, as func([]float64) []T) {
	o, n := m.o, m.o.Hidden
	opt := func(x []float64) []T {
		if x == nil {
			return nil
		}
		return append([]T{}, as(x)...)
	}
	in := RecurrentIn[T]{X: as(m.in.X), B: opt(m.in.B), Lens: m.in.Lens, H0: opt(m.in.H0), C0: opt(m.in.C0), P: opt(m.in.P)}
	buf := RecurrentBuffers[T]{GX: make([]T, o.Seq*o.Batch*m.gates*n), GH: make([]T, o.Batch*m.gates*n), H: make([]T, o.Batch*n), C: make([]T, o.Batch*n)}
	y, yh, yc := make([]T, len(m.y)), make([]T, len(m.yh)), make([]T, len(m.yc))
	for _, x := range [][]T{buf.GX, buf.GH, buf.H, buf.C, y, yh, yc} {
		fill(x, T(math.NaN())) // what they held must not matter
	}
	w, r := as(m.w), as(m.r)
	switch m.gates {
	case 4:
		LSTM(y, yh, yc, in, w, r, buf, o)
		agree(t, name+": the cells", float64s(yc), m.yc, tol)
	case 3:
		GRU(y, yh, in, w, r, buf, o)
	default:
		RNN(y, yh, in, w, r, buf, o)
	}
	agree(t, name+": the states", float64s(y), m.y, tol)
	agree(t, name+": the last state", float64s(yh), m.yh, tol)
}

// float64s returns x in float64.
func float64s[T Float](x []T) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}
