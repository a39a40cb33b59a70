package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// uniform returns n numbers between -1 and 1.
func uniform[T Float](r *rand.Rand, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(2*r.Float64() - 1)
	}
	return x
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// With one unit and one input, the equations can be written down.
func TestRecurrentSteps(t *testing.T) {
	o := Recurrent{Seq: 1, Batch: 1, Input: 1, Hidden: 1, Directions: 1, F: Gate{Kind: GateSigmoid},
		G: Gate{Kind: GateTanh}, H: Gate{Kind: GateTanh}}
	s := func(n int) []float32 { return make([]float32, n) }
	x, h0, c0 := []float32{2}, []float32{0.5}, []float32{-0.25}
	y, yh, yc := s(1), s(1), s(1)

	w, r := []float32{0.1, 0.2, 0.3, 0.4}, []float32{-0.1, -0.2, -0.3, -0.4}
	b, p := []float32{1, 2, 3, 4, 0, 0, 0, -1}, []float32{0.5, 0.6, 0.7}
	LSTM(y, yh, yc, RecurrentIn[float32]{X: x, B: b, H0: h0, C0: c0, P: p}, w, r, RecurrentBuffers[float32]{GX: s(4), GH: s(4), H: s(1), C: s(1)}, o)
	i := sigmoid(0.2 - 0.05 + 1 - 0.125)
	f := sigmoid(0.6 - 0.15 + 3 - 0.175)
	c := f*-0.25 + i*math.Tanh(0.8-0.2+3)
	h := sigmoid(0.4-0.1+2+0.6*c) * math.Tanh(c)
	about(t, "LSTM y", y, h)
	about(t, "LSTM yh", yh, h)
	about(t, "LSTM yc", yc, c)

	b = []float32{1, 2, 3, 0, 0, 0.5}
	GRU(y, yh, RecurrentIn[float32]{X: x, B: b, H0: h0}, w[:3], r[:3], RecurrentBuffers[float32]{GX: s(3), GH: s(3), H: s(1)}, o)
	z, rst := sigmoid(0.2-0.05+1), sigmoid(0.4-0.1+2)
	about(t, "GRU", y, (1-z)*math.Tanh(0.6+3+0.5+rst*0.5*-0.3)+z*0.5)
	o.LinearBeforeReset = true
	GRU(y, yh, RecurrentIn[float32]{X: x, B: b, H0: h0}, w[:3], r[:3], RecurrentBuffers[float32]{GX: s(3), GH: s(3), H: s(1)}, o)
	about(t, "GRU, linear before reset", y, (1-z)*math.Tanh(0.6+3+rst*(0.5*-0.3+0.5))+z*0.5)

	o.F, o.Clip = Gate{GateAffine, 2, 1}, 0.5
	RNN(y, yh, RecurrentIn[float32]{X: x, B: []float32{1, 0}, H0: h0}, w[:1], r[:1], RecurrentBuffers[float32]{GX: s(1), GH: s(1), H: s(1)}, o)
	about(t, "RNN, clipped", y, 2)
}

// Products are added to the present values, also for several parts of k. A row has the same bits alone.
func TestAddMatMulPacked32(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	eachLevel(t, func(t *testing.T) {
		for _, s := range [][3]int{{1, 5, 3}, {3, 6, 24}, {2, 48, 192}, {40, 48, 200}, {5, 2*blockK + 9, 40}, {2, 0, 8}} {
			m, k, n := s[0], s[1], s[2]
			a, b, got := uniform[float32](r, m*k), uniform[float32](r, k*n), uniform[float32](r, m*n)
			packed, want := make([]float32, PackB32Size(k, n)), make([]float32, m*n)
			PackB32(packed, b, k, n)
			MatMulPacked32(want, a, packed, nil, m, k, n, ActNone)
			Add(want, want, got)
			alone := slices.Clone(got)
			for i := range m {
				addMatMulPacked32(row(alone, i, n), row(a, i, k), packed, 1, k, n)
			}
			addMatMulPacked32(got, a, packed, m, k, n)
			if !sameBits(got, alone) {
				t.Fatalf("%v: rows have other bits alone", s)
			}
			for i, w := range want {
				if d := float64(got[i] - w); !(math.Abs(d) <= 1e-6*float64(k+1)) {
					t.Fatalf("%v: [%d] is %v, want %v", s, i, got[i], w)
				}
			}
		}
	})
}

// Both layouts, and both element types, have the same results.
func TestLSTMLayouts(t *testing.T) { eachLevel(t, lstmLayouts) }

func lstmLayouts(t *testing.T) {
	testLSTMLayouts[float32](t)
	testLSTMLayouts[float64](t)
}

func testLSTMLayouts[T Float](t *testing.T) {
	const seq, batch, input, hidden = 4, 3, 5, 6
	rng := rand.New(rand.NewPCG(1, 2))
	gates := Gate{Kind: GateSigmoid}
	o := Recurrent{Seq: seq, Batch: batch, Input: input, Hidden: hidden, Directions: 2,
		F: gates, G: gates, H: gates, F2: gates, G2: gates, H2: gates}
	x := uniform[T](rng, seq*batch*input)
	w, r := uniform[T](rng, 2*4*hidden*input), uniform[T](rng, 2*4*hidden*hidden)
	lens := []int32{4, 2, 0}
	run := func(x []T, o Recurrent) []T {
		y := make([]T, seq*2*batch*hidden)
		y[0] = 7
		LSTM(y, nil, nil, RecurrentIn[T]{X: x, Lens: lens}, w, r, RecurrentBuffers[T]{GX: make([]T, seq*batch*4*hidden), GH: make([]T, batch*4*hidden), H: make([]T, batch*hidden), C: make([]T, batch*hidden)}, o)
		return y
	}
	a := run(x, o)
	xt := make([]T, len(x))
	for i := range seq {
		for k := range batch {
			copy(row(xt, k*seq+i, input), row(x, i*batch+k, input))
		}
	}
	o.BatchFirst = true
	b := run(xt, o)
	for i := range seq {
		for d := range 2 {
			for k := range batch {
				p, q := row(a, (i*2+d)*batch+k, hidden), row(b, (k*seq+i)*2+d, hidden)
				for j := range p {
					if !(math.Abs(float64(p[j]-q[j])) <= 1e-6) || i >= int(lens[k]) != (p[j] == 0) {
						t.Fatalf("step %d of sample %d: %v and %v", i, k, p, q)
					}
				}
			}
		}
	}
}

// TestRecurrentLengths checks that a length above the number of steps fails.
func TestRecurrentLengths(t *testing.T) {
	defer func() {
		if err, _ := recover().(*Error); err == nil || !strings.Contains(err.Msg, "length 3") {
			t.Errorf("got %v", err)
		}
	}()
	RNN[float32](nil, nil, RecurrentIn[float32]{Lens: []int32{3}}, nil, nil, RecurrentBuffers[float32]{}, Recurrent{Seq: 2, Batch: 1})
}

// TestGates checks each activation of a gate.
func TestGates(t *testing.T) {
	for _, c := range []struct {
		gate Gate
		want []float64 // of -2, 0.25, 3
	}{
		{Gate{Kind: GateRelu}, []float64{0, 0.25, 3}},
		{Gate{GateAffine, 2, 1}, []float64{-3, 1.5, 7}},
		{Gate{GateLeakyRelu, 0.1, 0}, []float64{-0.2, 0.25, 3}},
		{Gate{GateThresholdedRelu, 1, 0}, []float64{0, 0, 3}},
		{Gate{GateScaledTanh, 2, 0.5}, []float64{2 * math.Tanh(-1), 2 * math.Tanh(0.125), 2 * math.Tanh(1.5)}},
		{Gate{GateHardSigmoid, 0.2, 0.5}, []float64{0.1, 0.55, 1}},
		{Gate{GateElu, 2, 0}, []float64{2 * math.Expm1(-2), 0.25, 3}},
		{Gate{Kind: GateSoftsign}, []float64{-2 / 3., 0.2, 0.75}},
		{Gate{Kind: GateSoftplus}, []float64{math.Log1p(math.Exp(-2)), math.Log1p(math.Exp(0.25)), math.Log1p(math.Exp(3))}},
	} {
		y := make([]float64, 3)
		applyGate(c.gate, y, []float64{-2, 0.25, 3}, 0)
		about(t, "gate", y, c.want...)
	}
}

// TestRecurrentAllocatesNothing checks that recurrent kernels allocate no memory.
func TestRecurrentAllocatesNothing(t *testing.T) {
	o := Recurrent{Seq: 3, Batch: 2, Input: 4, Hidden: 8, Directions: 1}
	s := func(n int) []float32 { return make([]float32, n) }
	y, x, w, r, gx, gh, h, c := s(48), s(24), s(128), s(256), s(192), s(64), s(16), s(16)
	if n := allocations(20, func() {
		LSTM(y, nil, nil, RecurrentIn[float32]{X: x}, w, r, RecurrentBuffers[float32]{GX: gx, GH: gh, H: h, C: c}, o)
		GRU(y, nil, RecurrentIn[float32]{X: x}, w[:96], r[:192], RecurrentBuffers[float32]{GX: gx[:144], GH: gh[:48], H: h}, o)
	}); n > 0 && !raceEnabled {
		t.Errorf("%v allocations", n)
	}
}

// Packed weights have the results of unpacked ones.
func TestPackGates(t *testing.T) { eachLevel(t, packGates) }

func packGates(t *testing.T) {
	const n, k, seq, batch, dirs = 5, 7, 4, 3, 2
	r := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = r.Float32() - 0.5
		}
		return x
	}
	pack := func(w []float32, k int, rows ...int) []float32 {
		dst := make([]float32, PackGatesSize(dirs, k, rows...))
		PackGates(dst, w, dirs, k, rows...)
		return dst
	}
	x, state, c0 := random(seq*batch*k), random(dirs*batch*n), random(dirs*batch*n)
	lens := []int32{4, 2, 3}
	for _, linear := range []bool{false, true} {
		for _, first := range []bool{false, true} {
			o := Recurrent{
				Seq: seq, Batch: batch, Input: k, Hidden: n, Directions: dirs, BatchFirst: first, LinearBeforeReset: linear,
				G: Gate{Kind: GateTanh}, H: Gate{Kind: GateTanh}, G2: Gate{Kind: GateTanh}, H2: Gate{Kind: GateTanh},
			}
			wl, rl, bl := random(dirs*4*n*k), random(dirs*4*n*n), random(dirs*8*n)
			parts := []int{2 * n, n}
			if linear {
				parts = []int{3 * n}
			}
			wg, rg, bg := wl[:dirs*3*n*k], rl[:dirs*3*n*n], bl[:dirs*6*n]
			var y, z [2][]float32
			for i := range 2 {
				y[i], z[i] = make([]float32, seq*batch*dirs*n), make([]float32, seq*batch*dirs*n)
				gx, gh, h, c := make([]float32, seq*batch*4*n), make([]float32, batch*4*n), make([]float32, batch*n), make([]float32, batch*n)
				w, rec, w3, rec3 := wl, rl, wg, rg
				if o.Packed = i == 1; o.Packed {
					w, rec, w3, rec3 = pack(wl, k, 4*n), pack(rl, n, 4*n), pack(wg, k, 3*n), pack(rg, n, parts...)
				}
				LSTM(y[i], nil, nil, RecurrentIn[float32]{X: x, B: bl, Lens: lens, H0: state, C0: c0}, w, rec, RecurrentBuffers[float32]{GX: gx, GH: gh, H: h, C: c}, o)
				GRU(z[i], nil, RecurrentIn[float32]{X: x, B: bg, Lens: lens, H0: state}, w3, rec3, RecurrentBuffers[float32]{GX: gx[:seq*batch*3*n], GH: gh[:batch*3*n], H: h}, o)
			}
			for i := range y[0] {
				if d, e := y[0][i]-y[1][i], z[0][i]-z[1][i]; d*d > 1e-10 || e*e > 1e-10 {
					t.Fatalf("linear %v, batch first %v: LSTM %v and %v, GRU %v and %v", linear, first, y[0][i], y[1][i], z[0][i], z[1][i])
				}
			}
		}
	}
}
