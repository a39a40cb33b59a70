package cpu

import (
	"math/rand/v2"
	"testing"
)

// TestBitsOfThreads: results have the same bits for any number of threads, as [SetThreads] promises, at each level. Operands are
// long enough for several threads, and their lengths are not multiples of a turn.
func TestBitsOfThreads(t *testing.T) {
	defer SetThreads(0)
	rng := rand.New(rand.NewPCG(1, 2))
	const rows, n = 301, 307
	x, y, z := uniform[float32](rng, rows*n), uniform[float32](rng, rows*n), uniform[float32](rng, n)
	few := uniform[float32](rng, n*5)
	cond := make([]bool, rows*n)
	for i := range cond {
		cond[i] = rng.IntN(2) == 0
	}
	win := window([]int{43, 7}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{1, 1}) // 301 places
	planes := rows * n / 301
	conv := ConvShape{Images: 1, Channels: 32, Filters: 24, Groups: 1, Window: win}
	filters := uniform[float32](rng, 24*32*9)
	recurrent := Recurrent{Seq: 9, Batch: 43, Input: 30, Hidden: 32, Directions: 1, G: Gate{Kind: GateTanh}, H: Gate{Kind: GateTanh}}
	w, r := uniform[float32](rng, 128*30), uniform[float32](rng, 128*32)
	attn := Attn{Batch: 1, Heads: 4, KVHeads: 2, Queries: 150, Keys: 150, KeySize: 16, ValueSize: 16, Left: -1, Right: -1, Causal: true}
	kernels := map[string]struct {
		size int
		f    func(dst []float32)
	}{
		"Exp":                        {rows * n, func(d []float32) { Exp(d, x) }},
		"Gelu":                       {rows * n, func(d []float32) { Gelu(d, x) }},
		"SwiGLU":                     {rows * n, func(d []float32) { SwiGLU(d, x, y, 1) }},
		"Div":                        {rows * n, func(d []float32) { Div(d, x, y) }},
		"Mul by one":                 {rows * n, func(d []float32) { Mul(d, x, z[:1]) }},
		"Broadcast of rows":          {rows * n, func(d []float32) { Broadcast(d, x, z, Add, []int{rows, n}, []int{rows, n}, []int{n}) }},
		"Where":                      {rows * n, func(d []float32) { Where(d, cond, x, z, []int{rows, n}, []int{rows, n}, []int{rows, n}, []int{n}) }},
		"Softmax":                    {rows * n, func(d []float32) { Softmax(d, x, rows, n, 1) }},
		"Softmax of columns":         {rows * n, func(d []float32) { Softmax(d, x, 1, rows, n) }},
		"LogSoftmax":                 {rows * n, func(d []float32) { LogSoftmax(d, x, rows, n, 1) }},
		"SoftmaxGrad":                {rows * n, func(d []float32) { SoftmaxGrad(d, x, y, rows, n, 1) }},
		"LayerNorm":                  {rows * n, func(d []float32) { LayerNorm(d, nil, nil, x, z, z, n, 1e-5) }},
		"RMSNorm":                    {rows * n, func(d []float32) { RMSNorm(d, x, z, n, 1e-5) }},
		"ReduceSum of rows":          {rows, func(d []float32) { ReduceSum(d, x, []int{rows, n}, []int{rows, 1}) }},
		"ReduceSum of all":           {1, func(d []float32) { ReduceSum(d, x, []int{rows, n}, []int{1, 1}) }},
		"ReduceSum of columns":       {n, func(d []float32) { ReduceSum(d, x, []int{rows, n}, []int{1, n}) }},
		"ReduceSum of a middle axis": {7 * n, func(d []float32) { ReduceSum(d, x, []int{7, 43, n}, []int{7, 1, n}) }},
		"MatMul":                     {rows * 5, func(d []float32) { MatMul32(d, x, few, rows, n, 5) }},
		"MatMul transposed":          {rows * rows, func(d []float32) { Gemm32(d, x, y, GemmShape{M: rows, K: n, N: rows, TransB: true, Alpha: 1}) }},
		"Transpose":                  {rows * n, func(d []float32) { Transpose(d, x, []int{rows, n}, []int{1, 0}) }},
		"MaxPool":                    {planes * 301, func(d []float32) { MaxPool(d, x, planes, win) }},
		"AveragePool":                {planes * 301, func(d []float32) { AveragePool(d, x, planes, false, win) }},
		"Conv":                       {24 * 301, func(d []float32) { Conv32(d, x, filters, nil, conv, ActRelu) }},
		"LSTM": {9 * 43 * 32, func(d []float32) {
			LSTM(d, nil, nil, RecurrentIn[float32]{X: x}, w, r, RecurrentBuffers[float32]{GX: make([]float32, 9*43*128), GH: make([]float32, 43*128), H: make([]float32, 43*32), C: make([]float32, 43*32)}, recurrent)
		}},
		"Attention": {150 * 64, func(d []float32) {
			Attention(d, nil, AttnIn[float32]{Q: x, K: y, V: x}, make([]float32, 150*150), attn)
		}},
		"Resize":       {rows * 2 * n, func(d []float32) { resizeTwice(d, x, rows, n) }},
		"Gather":       {rows * n, func(d []float32) { Gather(d, x, reversed(rows), 1, rows, n) }},
		"Concat":       {rows * n, func(d []float32) { CopyRows(d, x, rows, n-7, n, 7, n, 0) }},
		"AddAct":       {rows * n, func(d []float32) { copy(d, x); AddAct(d, y, ActSilu) }},
		"RandomNormal": {rows * n, func(d []float32) { RandomNormal(d, 0, 1, 7) }},
	}
	eachLevel(t, func(t *testing.T) {
		for name, k := range kernels {
			SetThreads(1)
			want := make([]float32, k.size)
			k.f(want)
			for _, threads := range []int{2, 3, 4, 7} {
				SetThreads(threads)
				got := make([]float32, k.size)
				k.f(got)
				if !sameBits(got, want) {
					t.Errorf("%s: other bits on %d threads than on one", name, threads)
				}
			}
		}
	})
}

// resizeTwice resizes rows of n elements to twice as many.
func resizeTwice(dst, x []float32, rows, n int) {
	line := ResizeLine{In: n, Out: 2 * n, Filter: ResizeCubic, CubicA: -0.75}
	weights, first, scale := make([]float32, 4*2*n), make([]int64, 2*n), []float64{2}
	ResizeWeights(weights, first, scale, nil, line)
	ResizeAxis(dst, x, weights, first, scale, line, rows, 1)
}

// reversed returns n-1, …, 0.
func reversed(n int) []int64 {
	index := make([]int64, n)
	for i := range index {
		index[i] = int64(n - 1 - i)
	}
	return index
}
