package cpu

import (
	"math"
	"math/rand/v2"
	reflection "reflect" // the package has a function of that name
	"slices"
	"testing"
)

// attentionFences are attentions of all layouts, with sizes around vectors.
func attentionFences(rng *rand.Rand, f func(o Attn)) {
	for i := range 90 {
		o := Attn{Batch: 1 + i%2, Heads: 2, KVHeads: 1 + i/2%2, Queries: 1 + rng.IntN(20), Keys: 1 + rng.IntN(40), KeySize: 1 + i%70, ValueSize: 1 + rng.IntN(40), Left: -1, Right: -1}
		switch i % 6 {
		case 1:
			o.Keys, o.Causal = o.Queries, true
		case 2:
			o.PackedY, o.QStep, o.KStep, o.VStep = true, o.Heads*o.KeySize, o.KVHeads*o.KeySize, o.KVHeads*o.ValueSize
		case 3:
			o.MaskBatch, o.MaskHeads, o.MaskQueries, o.MaskKeys = 1, o.Heads, 1, o.Keys
		case 4:
			o.Queries = 1
		case 5:
			o.Queries, o.Keys, o.Causal = attnSeen+i%40, attnSeen+i%40, i%12 == 5
		}
		f(o)
	}
}

// Attention and its gradient stay within their slices.
func TestFenceAttention(t *testing.T) {
	fenced(t, func(f *fence) {
		rng := rand.New(rand.NewPCG(1, 2))
		attentionFences(rng, func(o Attn) {
			in := AttnIn[float32]{
				Q: randoms(rng, o.Batch*o.Heads*o.Queries*o.KeySize), K: randoms(rng, o.Batch*o.KVHeads*o.Keys*o.KeySize),
				V: randoms(rng, o.Batch*o.KVHeads*o.Keys*o.ValueSize),
			}
			mask := o
			if o.MaskKeys > 0 {
				in.Mask = randoms(rng, o.MaskHeads*o.MaskKeys)
			}
			buf := scratchMemory{make([]float32, 2*o.Queries*o.Keys)}
			y := o.Batch * o.Heads * o.Queries * o.ValueSize
			f.run("Attention", 1e-4, Attention[float32], Attention[float64], unwritten(y), nil, in, buf, o)
			if o.QStep == 0 {
				mask.Give = ScoresSoftmax
				f.run("Attention with scores", 1e-4, Attention[float32], Attention[float64], unwritten(y), unwritten(o.Batch*o.Heads*o.Queries*o.Keys), in, buf, mask)
			}
			in.Mask = nil
			o.MaskBatch, o.MaskHeads, o.MaskQueries, o.MaskKeys = 0, 0, 0, 0
			f.run("AttentionGrad", 1e-3, AttentionGrad[float32], AttentionGrad[float64], unwritten(len(in.Q)), unwritten(len(in.K)), unwritten(len(in.V)), randoms(rng, y), in, buf, o)
			rotated := o.KeySize / 2 * 2
			r := Rotary{Batch: o.Batch, Seq: o.Queries, Heads: o.Heads, Size: o.KeySize, Rotated: rotated, Shared: true, Interleaved: o.Causal}
			f.run("RotaryEmbedding", 1e-5, RotaryEmbedding[float32], RotaryEmbedding[float64], unwritten(len(in.Q)), in.Q, randoms(rng, o.Queries*rotated/2), randoms(rng, o.Queries*rotated/2), nil, r)
			l := LinearAttn{Batch: o.Batch, Seq: o.Queries, Heads: 2, KVHeads: o.KVHeads, KeySize: o.KeySize, ValueSize: o.ValueSize, Scale: 0.1}
			state := o.Batch * o.KVHeads * o.KeySize * o.ValueSize
			if l.Seq < 30 {
				f.run("LinearAttention", 1e-3, LinearAttention[float32], LinearAttention[float64], unwritten(y), make([]float32, state), LinearAttnIn[float32]{
					Q: in.Q, K: randoms(rng, l.Batch*l.Seq*l.KVHeads*l.KeySize), V: randoms(rng, l.Batch*l.Seq*l.KVHeads*l.ValueSize), Past: randoms(rng, state),
				}, scratchMemory{make([]float32, l.ValueSize)}, l)
			}
			c := CausalShape{Rows: 4, Channels: 2, N: o.Keys, K: 1 + o.KeySize%5}
			f.run("CausalConv", 1e-5, CausalConv[float32], CausalConv[float64], unwritten(c.Rows*c.N), unwritten(c.Rows*(c.K-1)), randoms(rng, c.Rows*c.N), randoms(rng, c.Channels*c.K), randoms(rng, c.Channels), randoms(rng, c.Rows*(c.K-1)), c, o.Causal)
		})
	})
}

// Recurrent layers stay within their slices, with plain and packed weights, of floats and of bytes.
func TestFenceRecurrent(t *testing.T) {
	gate := func(k GateKind) Gate { return Gate{Kind: k} }
	fenced(t, func(f *fence) {
		rng := rand.New(rand.NewPCG(3, 4))
		for hidden := 1; hidden <= 70; hidden++ {
			const seq = 3
			batch, input, two := 1+hidden%3, 1+rng.IntN(40), 1+hidden%2
			o := Recurrent{Seq: seq, Batch: batch, Input: input, Hidden: hidden, Directions: two, BatchFirst: hidden%4 < 2, LinearBeforeReset: hidden%3 == 0,
				F: gate(GateSigmoid), G: gate(GateTanh), H: gate(GateTanh), F2: gate(GateSigmoid), G2: gate(GateTanh), H2: gate(GateTanh)}
			fenceRecurrent(f, rng, "LSTM", 4, o, LSTM[float32], LSTM[float64])
			fenceRecurrent(f, rng, "GRU", 3, o, GRU[float32], GRU[float64])
			fenceRecurrent(f, rng, "RNN", 1, o, RNN[float32], RNN[float64])
			fenceByteLSTM(f, rng, o)
		}
	})
}

// fenceRecurrent runs a layer with plain and with packed weights.
func fenceRecurrent(f *fence, rng *rand.Rand, name string, gates int, o Recurrent, kernel, exact any) {
	n, two, states := gates*o.Hidden, o.Directions, o.Directions*o.Batch*o.Hidden
	w, r := randoms(rng, two*n*o.Input), randoms(rng, two*n*o.Hidden)
	in := RecurrentIn[float32]{X: randoms(rng, o.Seq*o.Batch*o.Input), B: randoms(rng, two*2*n), H0: randoms(rng, states)}
	out := []any{unwritten(o.Seq * states), unwritten(states)}
	if name == "LSTM" {
		in.C0, in.P = randoms(rng, states), randoms(rng, two*3*o.Hidden)
		out = append(out, unwritten(states))
	}
	args := slices.Concat(out, []any{in, w, r, recurrentBuffers(o, n), o})
	f.run(name, 1e-4, kernel, exact, args...)

	rows := [][]int{{n}, {n}}
	if name == "GRU" && !o.LinearBeforeReset {
		rows[1] = []int{2 * o.Hidden, o.Hidden}
	}
	o.Packed = true
	at := len(out) + 1 // of w
	args[at+3] = o
	for i, k := range []int{o.Input, o.Hidden} {
		weights := args[at+i].([]float32)
		pack := func(dst, w []float32) { PackGates(dst, w, two, k, rows[i]...) }
		p := unwritten(PackGatesSize(two, k, rows[i]...))
		f.run("PackGates", 0, pack, atPortable(pack), p, weights)
		pack(p, weights)
		args[at+i] = p
	}
	plain := reflection.ValueOf(exact)
	f.run(name+" packed", 1e-4, kernel, reflection.MakeFunc(plain.Type(), func(in []reflection.Value) []reflection.Value {
		o := o
		o.Packed = false
		in[at], in[at+1], in[at+3] = reflection.ValueOf(widen64(w)), reflection.ValueOf(widen64(r)), reflection.ValueOf(o)
		return plain.Call(in)
	}).Interface(), args...)
}

// recurrentBuffers are the buffers of a layer with n rows of weights.
func recurrentBuffers(o Recurrent, n int) scratchMemory {
	s := func(n int) []float32 { return unwritten(n) }
	return scratchMemory{RecurrentBuffers[float32]{GX: s(o.Seq * o.Batch * n), GH: s(o.Batch * n), H: s(o.Batch * o.Hidden), C: s(o.Batch * o.Hidden)}}
}

// fenceByteLSTM runs a layer with weights of bytes.
func fenceByteLSTM(f *fence, rng *rand.Rand, o Recurrent) {
	n, states := 4*o.Hidden, o.Directions*o.Batch*o.Hidden
	w, r := newByteLayer(rng, o.Directions, o.Input, n, true), newByteLayer(rng, o.Directions, o.Hidden, n, o.Hidden%2 == 0)
	gates := func(l byteLayer) ByteGates {
		return ByteGates{W: l.packed, Scales: l.scales, Sums: l.sums, Shifts: l.shifts}
	}
	in := RecurrentIn[float32]{X: randoms(rng, o.Seq*o.Batch*o.Input), B: randoms(rng, 2*o.Directions*n), H0: randoms(rng, states), C0: randoms(rng, states)}
	f.run("DynamicLSTM", 0.02, DynamicLSTM, func(y, yh, yc []float64, in RecurrentIn[float64], _, _ ByteGates, buf RecurrentBuffers[float64], o Recurrent) {
		LSTM(y, yh, yc, in, widen64(w.floats), widen64(r.floats), buf, o)
	}, unwritten(o.Seq*states), unwritten(states), unwritten(states), in, gates(w), gates(r), recurrentBuffers(o, n), o)
}

// Steps of optimizers stay within their slices.
func TestFenceOptimizers(t *testing.T) {
	fenced(t, func(f *fence) {
		rng := rand.New(rand.NewPCG(5, 6))
		p := StepParams{Factor: 0.5, Decay: 0.1, Momentum: 0.9, Dampening: 0.25, Beta1: 0.8, Beta2: 0.9, Epsilon: 1e-2}
		at := StepAt[float32]{Rate: []float32{0.25}, Step: []int64{2}, Scale: []float32{0.5}}
		fenceLengths(func(n int) {
			w, m, v, g := randoms(rng, n), randoms(rng, n), positive(rng, n), randoms(rng, n)
			f.run("StepSGD", 1e-5, StepSGD[float32, float32], StepSGD[float64, float64], w, m, g, at, p)
			nesterov := p
			nesterov.Nesterov, nesterov.Dampening = true, 0
			f.run("StepSGD of Nesterov", 1e-5, StepSGD[float32, float32], StepSGD[float64, float64], w, m, g, at, nesterov)
			f.run("StepSGD without momentum", 1e-5, StepSGD[float32, float32], StepSGD[float64, float64], w, nil, g, at, StepParams{Factor: 0.5, Decay: 0.1})
			f.run("StepRMSprop alone", 1e-4, StepRMSprop[float32, float32], StepRMSprop[float64, float64], w, v, nil, nil, g, at, StepParams{Factor: 0.5, Beta2: 0.9, Epsilon: 1e-2})
			f.run("StepAdam", 1e-5, StepAdam[float32, float32], StepAdam[float64, float64], w, m, v, nil, g, at, p)
			f.run("StepAdam with top", 1e-5, StepAdam[float32, float32], StepAdam[float64, float64], w, m, v, positive(rng, n), g, at, p)
			f.run("StepAdamW", 1e-5, StepAdamW[float32, float32], StepAdamW[float64, float64], w, m, v, nil, g, at, p)
			f.run("StepAdagrad", 1e-5, StepAdagrad[float32, float32], StepAdagrad[float64, float64], w, v, g, at, p)
			// The mean of squares is above the square of the mean.
			square := make([]float32, n)
			for i, x := range m {
				square[i] = x*x + 1
			}
			f.run("StepRMSprop", 1e-4, StepRMSprop[float32, float32], StepRMSprop[float64, float64], w, square, m, v, g, at, p)
			f.run("StepLion", 1e-5, StepLion[float32, float32], StepLion[float64, float64], w, m, g, at, p)
			f.run("StepLAMB", 1e-4, StepLAMB[float32, float32], StepLAMB[float64, float64], w, m, v, scratchMemory{unwritten(n)}, g, at, p)
			in := OptimizerIn[float32, float32]{Rate: at.Rate, Step: at.Step, X: w, G: g, V: m, H: v}
			o := OptimizerParams{Alpha: 0.8, Beta: 0.9, Epsilon: 1e-2, Norm: 0.1}
			f.run("Adam", 1e-4, Adam[float32, float32], Adam[float64, float64], unwritten(n), unwritten(n), unwritten(n), in, o)
			f.run("Adagrad", 1e-4, Adagrad[float32, float32], Adagrad[float64, float64], unwritten(n), unwritten(n), in, o)
			f.run("Momentum", 1e-4, Momentum[float32, float32], Momentum[float64, float64], unwritten(n), unwritten(n), in, o)
			f.run("Blend", 1e-5, Blend[float32], Blend[float64], unwritten(n), w, g, 0.9)
		})
		for n := range 40 {
			rows, cols := 1+n%7, 1+n
			tmp := make([]float32, 2*rows*cols+2*min(rows, cols)*min(rows, cols))
			f.run("StepMuon", 1e-2, StepMuon[float32, float32], StepMuon[float64, float64], randoms(rng, rows*cols), randoms(rng, rows*cols), scratchMemory{tmp}, randoms(rng, rows*cols), at, rows, cols, p)
		}
	})
}

// Losses, and norms over several axes, stay within their slices.
func TestFenceLosses(t *testing.T) {
	fenced(t, func(f *fence) {
		rng := rand.New(rand.NewPCG(7, 8))
		for n := 1; n <= 70; n++ {
			o := Loss{Classes: 1 + n%9, Inner: 1 + n%5, Ignores: n%2 == 0, Ignore: 0}
			x, weight, target := randoms(rng, n*o.Classes*o.Inner), positive(rng, o.Classes), make([]int64, n*o.Inner)
			for i := range target {
				target[i] = int64(rng.IntN(o.Classes))
			}
			f.run("NLLLoss", 1e-5, NLLLoss[float32, int64], NLLLoss[float64, int64], unwritten(len(target)), x, target, weight, o)
			f.run("NLLLossGrad", 1e-5, NLLLossGrad[float32, int64], NLLLossGrad[float64, int64], unwritten(len(x)), randoms(rng, len(target)), target, weight, o)
			c := CTC{Batch: 1, Time: 9, Classes: 1 + n, Labels: 2}
			logs := randoms(rng, c.Time*c.Classes)
			f.run("CTCLoss", 1e-4, CTCLoss[float32, int64], CTCLoss[float64, int64], unwritten(1), logs, []int64{int64(n), int64(n) / 2}, []int64{9}, []int64{2}, scratchMemory{make([]float64, 5)}, c)
			y := randoms(rng, 2*5*n)
			f.run("BatchMoments", 1e-4, BatchMoments[float32, float32], BatchMoments[float64, float64], unwritten(5), unwritten(5), y, n)
			f.run("BatchNormGrad", 1e-3, BatchNormGrad[float32, float32], BatchNormGrad[float64, float64], unwritten(len(y)), unwritten(5), unwritten(5), randoms(rng, len(y)), y, positive(rng, 5), n, 0.1)
			f.run("LRN", 1e-4, LRN[float32], LRN[float64], unwritten(len(y)), y, 2, 5, n, LRNParams{Size: 3, Alpha: 0.1, Beta: 0.75, Bias: 1})
			d := DFTShape{X: []int{1, n, 1}, Y: []int{1, n, 2}, Axis: 1}
			f.run("DFT", 1e-4*math.Sqrt(float64(n)), DFT[float32], DFT[float64], unwritten(2*n), y[:n], scratchMemory{make([]float64, 6*n)}, d)
		}
	})
}
