package eval

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/cpu/imagedec"
	"github.com/bbgen/bbgen/runtime/tensor"
)

type (
	f32 = []float32
	i64 = []int64
	ns  = []int
)

// neverFails are kernels of the table that fail for no data, with the reason.
var neverFails = map[string]string{
	"LpNorm":                "whole numbers alone fail, which it does not take",
	"Softmax":               "whole numbers alone fail, which it does not take",
	"DynamicQuantizeLinear": "it has one scale, which fits always",
}

// failingCalls returns a call of each kernel that can fail, with data that make it fail. out is memory of the
// caller.
func failingCalls(out f32) map[string]func() {
	const n = 300 // rows of a loop that threads share
	nan := float32(math.NaN())
	texts := func() { cpu.CastFromString(out[:n], slices.Repeat([]string{"x"}, n)) }
	empty := &tensor.Sequence{}
	zeros := make([]int64, len(out))
	odd := func(at int, v int64) i64 { // indices, one of which is out of range
		x := make(i64, n)
		x[at] = v
		return x
	}
	lens := []int32{-1}
	one := cpu.Recurrent{Seq: 1, Batch: 1, Input: 1, Hidden: 1, Directions: 1}
	gates := make(f32, 64)
	none := &tensor.Optional{}
	loss := cpu.Loss{Classes: 3, Inner: 1}
	ctc := cpu.CTC{Batch: 1, Time: 1, Classes: 2, Labels: 1}
	blocks := cpu.Blocks{Outer: 1, N: 4, Inner: 1, Size: 1, Shared: true}
	mask := make([]bool, 6)
	return map[string]func(){
		"ArgMax": func() { cpu.ArgMax(zeros[:1], f32{}, 1, 0, 1, false) },
		"ArgMin": func() { cpu.ArgMin(zeros[:1], f32{}, 1, 0, 1, false) },
		"Attention": func() {
			cpu.Attention(out[:4], nil, cpu.AttnIn[float32]{Q: f32{1, 2, 3}, K: f32{1, 2}, V: f32{1, 2}}, nil, cpu.Attn{Batch: 1, Heads: 3, KVHeads: 2, Queries: 1, Keys: 1, KeySize: 1, ValueSize: 1, Left: -1, Right: -1})
		},
		"AttentionGrad": func() {
			cpu.AttentionGrad(out[:3], out[3:5], out[5:7], f32{1, 2, 3}, cpu.AttnIn[float32]{Q: f32{1, 2, 3}, K: f32{1, 2}, V: f32{1, 2}}, nil, cpu.Attn{Batch: 1, Heads: 3, KVHeads: 2, Queries: 1, Keys: 1, KeySize: 1, ValueSize: 1, Left: -1, Right: -1})
		},
		"Broadcast": func() { cpu.Broadcast(out[:6], f32{1, 2, 3}, f32{1, 2}, cpu.Add, ns{2, 3}, ns{3}, ns{2}) },
		"CTCLoss":   func() { cpu.CTCLoss(out[:1], make(f32, 2), i64{9}, i64{1}, i64{1}, make([]float64, 64), ctc) },
		"CTCLossGrad": func() {
			cpu.CTCLossGrad(out[:2], f32{1}, make(f32, 2), i64{9}, i64{1}, i64{1}, make([]float64, 64), ctc)
		},
		"CastFromString": texts,
		"CheckBroadcast": func() { cpu.CheckBroadcast("rows", 2, 3) },
		"CheckRoom":      func() { cpu.CheckRoom(4, ns{math.MaxInt, 2}) },
		"CheckEqual":     func() { cpu.CheckEqual("rows", 1, 2) },
		"Col2Im": func() {
			cpu.Col2Im(out[:4], make(f32, 3), 1, cpu.Window{In: ns{2, 2}, Out: ns{2, 2}, Kernel: ns{1, 1}, Stride: ns{1, 1}, Dilation: ns{1, 1}, Pad: ns{0, 0}})
		},
		"Col2ImChannels": func() { cpu.Col2ImChannels(ns{2}, ns{2}, 3, 2) },
		"ConcatSequence": func() {
			cpu.ConcatSequence(out[:2], &tensor.Sequence{Items: []tensor.Value{tensor.Of(f32{1}, 1)}}, ns{2}, 0, false)
		},
		"ConcatSequenceDim": func() { cpu.ConcatSequenceDim(empty, 1, 0, true) },
		"CopyRows":          func() { cpu.CopyRows(out[:3], f32{1}, 2, 1, 2, 0, 1, 0) },
		"CumBestGrad":       func() { cpu.CumBestGrad(out[:4], make(f32, 4), make(f32, 4), make(f32, 4), i64{2}, ns{2, 2}, false) },
		"CumMax":            func() { cpu.CumMax(out[:4], make(f32, 4), i64{2}, ns{2, 2}, false) },
		"CumMin":            func() { cpu.CumMin(out[:4], make(f32, 4), i64{-3}, ns{2, 2}, false) },
		"CumProd":           func() { cpu.CumProd(out[:4], make(f32, 4), i64{2}, ns{2, 2}, false, false) },
		"CumProdGrad":       func() { cpu.CumProdGrad(out[:4], make(f32, 4), make(f32, 4), i64{2}, ns{2, 2}, false, false) },
		"CumSum":            func() { cpu.CumSum(out[:4], make(f32, 4), i64{-3}, ns{2, 2}, false, false) },
		"DFT": func() {
			cpu.DFT(out[:4], make(f32, 4), make([]float64, 64), cpu.DFTShape{X: ns{1, 2, 2}, Y: ns{1, 2, 2}, Axis: 7, Length: 2})
		},
		"DFTDim":           func() { cpu.DFTDim(ns{1, 2, 1}, 5, 0, 1, false, false) },
		"DequantizeLinear": func() { cpu.DequantizeLinear(out[:4], make([]uint8, 4), f32{1, 2, 3}, nil, blocks) },
		"DictVectorize": func() {
			cpu.DictVectorize[string, float32](out[:1], nil, []string{"a"}, zeros[:1])
		},
		"Div":      func() { cpu.Div(zeros[:n], zeros[:n], odd(n-1, 0)) },
		"DivScale": func() { cpu.DivScale(out[:4], make(f32, 4), f32{1, 2, 3}, nil, blocks) },
		"DynamicLSTM": func() {
			cpu.DynamicLSTM(out[:1], nil, nil, cpu.RecurrentIn[float32]{X: f32{1}, Lens: lens}, cpu.ByteGates{}, cpu.ByteGates{}, cpu.RecurrentBuffers[float32]{GX: gates, GH: gates, H: gates, C: gates}, one)
		},
		"Expand":     func() { cpu.Expand(out[:6], f32{1, 2, 3, 4}, ns{2, 3}, ns{2, 2}) },
		"ExpandSize": func() { cpu.ExpandSize(ns{4}, 3) },
		"Extent":     func() { cpu.Extent(ns{1 << 20, 1 << 20}, "Tile") },
		"Fmod":       func() { cpu.Fmod(zeros[:n], zeros[:n], odd(0, 1)) },
		"GRU": func() {
			cpu.GRU(out[:1], nil, cpu.RecurrentIn[float32]{X: f32{1}, Lens: lens}, gates[:3], gates[:3], cpu.RecurrentBuffers[float32]{GX: gates, GH: gates, H: gates}, one)
		},
		"Gather":         func() { cpu.Gather(out[:n], out[:5], odd(n-1, 5), 1, 5, 1) },
		"GatherElements": func() { cpu.GatherElements(out[:n], out[:n], odd(n-1, -6), ns{n / 5, 5}, ns{n / 5, 5}, 1) },
		"GatherGrad":     func() { cpu.GatherGrad(out[:5], out[:n], odd(n-1, 5), 1, 5, 1) },
		"GatherND":       func() { cpu.GatherND(out[:n], out[:5], odd(n-1, 5), 1, n, 1, ns{5}) },
		"GatherNDGrad":   func() { cpu.GatherNDGrad(out[:5], out[:n], odd(n-1, 5), 1, n, 1, ns{5}) },
		"LSTM": func() {
			cpu.LSTM(out[:1], nil, nil, cpu.RecurrentIn[float32]{X: f32{1}, Lens: lens}, gates[:4], gates[:4], cpu.RecurrentBuffers[float32]{GX: gates, GH: gates, H: gates, C: gates}, one)
		},
		"Length":            func() { cpu.Length(i64{0}) },
		"MapLen":            func() { cpu.MapLen(nil) },
		"MapSpread":         func() { cpu.MapSpread(out[:3], tensor.MapOf(i64{7}, f32{1}), f32{0}) },
		"MapValues":         func() { cpu.MapValues(out[:3], nil) },
		"MaskedSoftmax":     func() { cpu.MaskedSoftmax(out[:6], make(f32, 6), mask[:2], 1, 0, ns{2, 3}, ns{2}) },
		"MaskedSoftmaxGrad": func() { cpu.MaskedSoftmaxGrad(out[:6], make(f32, 6), make(f32, 6), mask[:2], 1, ns{2, 3}, ns{2}) },
		"MatMul": func() {
			cpu.MatMul(out[:3], out[:2], out[:3], cpu.MatMulBatch{Batch: ns{3}, A: ns{2}, B: ns{3}, M: 1, K: 1, N: 1})
		},
		"MatMulInteger": func() {
			cpu.MatMulInteger(make([]int32, 3), []int8{1, 2}, []int8{1, 2, 3}, nil, nil, cpu.MatMulBatch{Batch: ns{3}, A: ns{2}, B: ns{3}, M: 1, K: 1, N: 1})
		},
		"MaxRoiPool": func() {
			cpu.MaxRoiPool(out[:1], out[:4], f32{0, 0, 0, nan, 1}, cpu.RoiPoolShape{Rois: 1, Batches: 1, Channels: 1, In: ns{2, 2}, Out: ns{1, 1}}, 1)
		},
		"MaxRoiPoolGrad": func() {
			cpu.MaxRoiPoolGrad(out[:4], out[:1], out[:4], f32{3, 0, 0, 1, 1}, cpu.RoiPoolShape{Rois: 1, Batches: 1, Channels: 1, In: ns{2, 2}, Out: ns{1, 1}}, 1)
		},
		"MaxUnpool":       func() { cpu.MaxUnpool(out[:4], f32{1}, i64{4}, ns{1, 1, 1, 1}, ns{1, 1, 2, 2}) },
		"MaxUnpoolGrad":   func() { cpu.MaxUnpoolGrad(out[:1], out[:4], i64{-9}, ns{1, 1, 1, 1}, ns{1, 1, 2, 2}) },
		"MelWeightMatrix": func() { cpu.MelWeightMatrix(out[:n], i64{2}, i64{8}, i64{0}, f32{0}, f32{1}) },
		"Mod":             func() { cpu.Mod(zeros[:n], zeros[:n], odd(0, 1)) },
		"MulScale":        func() { cpu.MulScale(out[:4], make(f32, 4), f32{1, 2, 3}, nil, blocks) },
		"Multinomial":     func() { cpu.Multinomial(zeros[:1], f32{}, make([]float64, 4), 1, 0, 1) },
		"NLLLoss":         func() { cpu.NLLLoss(out[:n], make(f32, 3*n), odd(n-1, 3), nil, loss) },
		"NLLLossGrad":     func() { cpu.NLLLossGrad(out[:3*n], make(f32, n), odd(n-1, -1), nil, loss) },
		"OneHotCategories": func() {
			cpu.OneHotCategories(out[:2], f32{7}, i64{1, 2}, false)
		},
		"OneHotDepth":         func() { cpu.OneHotDepth(f32{nan}) },
		"OneHotStrings":       func() { cpu.OneHotStrings(out[:2], []string{"c"}, []string{"a", "b"}, false) },
		"OptionalDim":         func() { cpu.OptionalDim(none, 1, 0) },
		"OptionalGet":         func() { cpu.OptionalGet(out[:1], none, ns{1}) },
		"OptionalGetSequence": func() { cpu.OptionalGetSequence(empty, none) },
		"Pad":                 func() { cpu.Pad(out[:2], f32{}, f32{0}, ns{0}, ns{2}, ns{1}, cpu.PadEdge) },
		"PadBefore":           func() { cpu.PadBefore(ns{1, 1}, ns{7}, 2, 0) },
		"PadGrad":             func() { cpu.PadGrad(out[:2], out[:4], ns{2}, ns{4}, ns{1, 1}, ns{7}, cpu.PadConstant) },
		"PadSize":             func() { cpu.PadSize(ns{-3, 1}, ns{0}, 1, 0, 1) },
		"QuantizeLinear":      func() { cpu.QuantizeLinear(make([]uint8, 4), make(f32, 4), f32{1, 2, 3}, nil, blocks) },
		"RNN": func() {
			cpu.RNN(out[:1], nil, cpu.RecurrentIn[float32]{X: f32{1}, Lens: lens}, gates[:1], gates[:1], cpu.RecurrentBuffers[float32]{GX: gates, GH: gates, H: gates}, one)
		},
		"RangeSize":      func() { cpu.RangeSize(i64{0}, i64{1}, i64{0}) },
		"ReduceDim":      func() { cpu.ReduceDim(i64{5}, ns{2, 2}, false, 0) },
		"ReduceKept":     func() { cpu.ReduceKept(i64{0, 1}, ns{2, 2}, false, 0) },
		"RegexFullMatch": func() { cpu.RegexFullMatch(mask[:1], []string{"a"}, "(") },
		"Require":        func() { cpu.Require([]bool{false}, true, "why") },
		"ReshapeDim":     func() { cpu.ReshapeDim(i64{-1, 3}, ns{2, 2}, false, 0) },
		"ResizeKeptSize": func() { cpu.ResizeKeptSize(ns{math.MaxInt, 1}, ns{1, 1 << 30}, true, 1) },
		"ResizeSize":     func() { cpu.ResizeSize(f32{nan}, 0, 3) },
		"ResizeWeights": func() {
			cpu.ResizeWeights(out[:1], zeros[:4], []float64{1}, nil, cpu.ResizeLine{In: 0, Out: 4})
		},
		"ReverseSequence": func() { cpu.ReverseSequence(out[:4], make(f32, 4), i64{1, 3}, 2, 2, 1, false) },
		"RoiAlign": func() {
			cpu.RoiAlign(out[:1], out[:4], f32{0, 0, 1, 1}, i64{3}, cpu.RoiAlignParams{Batches: 1, Channels: 1, Height: 2, Width: 2, OutHeight: 1, OutWidth: 1, Samples: 1, Scale: 1})
		},
		"RoiAlignGrad": func() {
			cpu.RoiAlignGrad(out[:4], nil, f32{1}, make(f32, 4), f32{0, 0, 1, 1}, i64{3}, cpu.RoiAlignParams{Batches: 1, Channels: 1, Height: 2, Width: 2, OutHeight: 1, OutWidth: 1, Samples: 1, Scale: 1})
		},
		"RotaryEmbedding": func() {
			cpu.RotaryEmbedding(out[:2], f32{1, 2}, f32{1}, f32{0}, i64{9}, cpu.Rotary{Batch: 1, Seq: 1, Heads: 1, Size: 2, Rotated: 2})
		},
		"STFT": func() {
			cpu.STFT(out[:4], make(f32, 4), f32{1}, make([]float64, 64), ns{1, 4, 1}, ns{1, 1, 2, 2}, 1, 2)
		},
		"STFTFrames":      func() { cpu.STFTFrames(ns{1, 4, 1}, 0, 2) },
		"ScatterElements": func() { cpu.ScatterElements(out[:5], out[:n], odd(n-1, 5), ns{n}, ns{5}, 0) },
		"ScatterElementsReduce": func() {
			cpu.ScatterElementsReduce(out[:5], make(f32, n), odd(n-1, 5), ns{n}, ns{5}, 0, cpu.ReduceAdd)
		},
		"ScatterND":       func() { cpu.ScatterND(out[:5], make(f32, n), odd(n-1, 5), n, 1, ns{5}) },
		"ScatterNDReduce": func() { cpu.ScatterNDReduce(out[:5], make(f32, n), odd(n-1, 5), n, 1, ns{5}, cpu.ReduceAdd) },
		"SequenceDim":     func() { cpu.SequenceDim(empty, i64{0}, 1, 0) },
		"SequenceErase":   func() { cpu.SequenceErase(&tensor.Sequence{}, empty, i64{2}) },
		"SequenceGet":     func() { cpu.SequenceGet(out[:1], empty, i64{-1}, ns{1}) },
		"SequenceInsert":  func() { cpu.SequenceInsert(&tensor.Sequence{}, empty, tensor.Of(f32{1}, 1), i64{3}) },
		"SequencePop":     func() { cpu.SequencePop(&tensor.Sequence{}, empty) },
		"SliceGrad":       func() { cpu.SliceGrad(out[:4], out[:2], ns{4}, ns{2}, ns{0}, ns{3}, ns{1}) },
		"SliceSize":       func() { cpu.SliceSize(ns{0}, ns{2}, ns{0}, ns{0}, 1, 0, 4) },
		"SliceStart":      func() { cpu.SliceStart(ns{0}, ns{9}, ns{1}, 1, 0, 4) },
		"SliceStep":       func() { cpu.SliceStep(ns{-9}, ns{1}, 1, 0) },
		"SplitSequence":   func() { cpu.SplitSequence(&tensor.Sequence{}, f32{1, 2, 3}, i64{2, 2}, ns{3}, 0, false) },
		"SplitSize":       func() { cpu.SplitSize(ns{2, 2}, 0, 3) },
		"SqueezeSize":     func() { cpu.SqueezeSize(ns{2, 1}, ns{0}, 0) },
		"TakeColumns":     func() { cpu.TakeColumns(out[:1], f32{1, 2}, i64{2}, 2) },
		"TensorScatter": func() {
			cpu.TensorScatter(out[:4], f32{1, 2}, i64{3}, cpu.TensorScatterShape{Batches: 1, Blocks: 1, Rows: 4, N: 2, Inner: 1}, false)
		},
		"TopKSize": func() { cpu.TopKSize(ns{5}, 4) },
		"TreeScores": func() {
			cpu.TreeScores(out[:1], make([]float64, 1), f32{1}, f32{1}, cpu.Trees{Columns: 1, Features: 2, Scores: 1})
		},
		"UnsqueezeSize":    func() { cpu.UnsqueezeSize(ns{2}, ns{0, 0}, 2) },
		"Where":            func() { cpu.Where(out[:6], mask[:2], out[:6], out[:6], ns{2, 3}, ns{2}, ns{2, 3}, ns{2, 3}) },
		"imagedec.Measure": func() { imagedec.Measure(zeros[:2], append([]byte("P5 300 300 255 "), make([]byte, 300*300)...)) },
	}
}

// TestEveryKernelThatCanFail makes each kernel fail that can, on one thread and on several. It panics with a
// *cpu.Error, which a run returns, and writes nothing more to the caller's memory; parallel kernels work as
// before. The table of kernels is generated from their sources: the test fails if a kernel has no call here.
func TestEveryKernelThatCanFail(t *testing.T) {
	defer cpu.SetThreads(0)
	defer imagedec.SetMaxPixels(0)
	imagedec.SetMaxPixels(100)
	out := make(f32, 4096)
	calls := failingCalls(out)
	for name := range calls {
		if failing[name] == 0 {
			t.Errorf("%s cannot fail: take its call away", name)
		}
	}
	for name := range failing {
		call := calls[name]
		if call == nil {
			if neverFails[name] == "" {
				t.Errorf("%s can fail: add a call that does", name)
			}
			continue
		}
		for _, threads := range []int{1, 4} {
			cpu.SetThreads(threads)
			err := caught(call)
			if !is[*cpu.Error](err) {
				t.Errorf("%s on %d threads: got %v, want a *cpu.Error", name, threads, err)
			}
			was := slices.Clone(out)
			shared(t)
			if !slices.Equal(was, out) {
				t.Errorf("%s on %d threads writes to the caller's memory after it has failed", name, threads)
			}
			clear(out)
		}
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// caught returns the panic of a call.
func caught(call func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err, _ = r.(error)
		}
	}()
	call()
	return nil
}

// shared runs a parallel kernel.
func shared(t *testing.T) {
	x := make(f32, 1<<17)
	for i := range x {
		x[i] = float32(i)
	}
	y := make(f32, len(x))
	cpu.Add(y, x, x)
	for i, v := range y {
		if v != 2*x[i] {
			t.Fatalf("element %d is %v, want %v", i, v, 2*x[i])
		}
	}
}
