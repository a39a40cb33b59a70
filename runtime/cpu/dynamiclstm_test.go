package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// byteLayer is the weights of a recurrent layer, as bytes and as floats.
type byteLayer struct {
	packed       []int8
	floats       []float32
	scales       []float32
	sums, shifts []int32
}

func newByteLayer(rng *rand.Rand, directions, k, n int, shifted bool) byteLayer {
	l := byteLayer{packed: make([]int8, PackGates8Size(directions, k, n))}
	var plain []int8
	for range directions * n {
		scale, shift, sum := 0.002+0.002*rng.Float32(), int32(0), int32(0)
		if shifted {
			shift = int32(rng.IntN(21)) - 10
		}
		for range k {
			w := int8(rng.IntN(256) - 128)
			plain, sum = append(plain, w), sum+int32(w)-shift
			l.floats = append(l.floats, float32(int32(w)-shift)*scale)
		}
		l.scales, l.sums, l.shifts = append(l.scales, scale), append(l.sums, sum), append(l.shifts, shift)
	}
	if !shifted {
		l.shifts = nil
	}
	PackGates8(l.packed, plain, directions, k, n)
	return l
}

// An LSTM of bytes is near the one with the weights as floats: inputs are rounded to a 255th of their range.
func TestDynamicLSTM(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		const seq, input, hidden = 5, 37, 24
		gate := func(k GateKind) Gate { return Gate{Kind: k} }
		for i := range 8 {
			batch, shifted := 1+2*(i%2), i&2 != 0
			o := Recurrent{Seq: seq, Batch: batch, Input: input, Hidden: hidden, Directions: 2, BatchFirst: i&4 != 0,
				F: gate(GateSigmoid), G: gate(GateTanh), H: gate(GateTanh), F2: gate(GateSigmoid), G2: gate(GateTanh), H2: gate(GateTanh)}
			w, r := newByteLayer(rng, 2, input, 4*hidden, shifted), newByteLayer(rng, 2, hidden, 4*hidden, shifted)
			x, b := uniform[float32](rng, seq*batch*input), uniform[float32](rng, 2*8*hidden)
			h0, c0 := uniform[float32](rng, 2*batch*hidden), uniform[float32](rng, 2*batch*hidden)
			size := seq * 2 * batch * hidden
			want := make([]float32, size)
			gx, gh := make([]float32, seq*batch*4*hidden), make([]float32, batch*4*hidden)
			h, c := make([]float32, batch*hidden), make([]float32, batch*hidden)
			LSTM(want, nil, nil, RecurrentIn[float32]{X: x, B: b, H0: h0, C0: c0}, w.floats, r.floats, RecurrentBuffers[float32]{GX: gx, GH: gh, H: h, C: c}, o)
			got, check := guarded(size)
			DynamicLSTM(got, nil, nil, RecurrentIn[float32]{X: x, B: b, H0: h0, C0: c0}, ByteGates{W: w.packed, Scales: w.scales, Sums: w.sums, Shifts: w.shifts}, ByteGates{W: r.packed, Scales: r.scales, Sums: r.sums, Shifts: r.shifts}, RecurrentBuffers[float32]{GX: gx, GH: gh, H: h, C: c}, o)
			check(t)
			nearly(t, fmt.Sprintf("%d samples, shifted %v", batch, shifted), widen64(got), widen64(want), 0.01)
		}
	})
}

// Products of bytes are exact: only their operand is rounded, like by DynamicQuantizeLinear.
func TestByteGates(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		const rows, k, n = 3, 50, 40
		l := newByteLayer(rng, 1, k, n, true)
		a := uniform[float32](rng, rows*k)
		q, scale, zero := make([]uint8, len(a)), make([]float32, 1), make([]uint8, 1)
		DynamicQuantizeLinear(q, scale, zero, a)
		want := make([]float64, rows*n)
		for i := range want {
			for j, w := range row(l.floats, i%n, k) {
				want[i] += float64(int(q[i/n*k+j])-int(zero[0])) * float64(scale[0]) * float64(w)
			}
		}
		got, check := guarded(len(want))
		layer := ByteGates{W: l.packed, Scales: l.scales, Sums: l.sums, Shifts: l.shifts}
		g := layer.direction(0, k, n)
		g.mul(got, a, rows, k, n)
		check(t)
		nearly(t, "product", widen64(got), want, 1e-5)
	})
}
