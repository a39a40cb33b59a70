package dsl_test

import (
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/grad"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// typed are the calls of operators, with results computed by hand. Parameter m is the matrix [[1, 2], [3, -4]], v the
// vector [0.5, -0.5], and c the image [[1, 2], [3, 4]] of one channel.
var typed = map[string]struct {
	call  func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value
	shape []int
	want  []float64
}{
	"Exp":        {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Exp(v) }, []int{2}, []float64{math.Exp(0.5), math.Exp(-0.5)}},
	"Log":        {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Log(g.Exp(v)) }, []int{2}, []float64{0.5, -0.5}},
	"Sqrt":       {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Sqrt(g.Abs(v)) }, []int{2}, []float64{math.Sqrt(0.5), math.Sqrt(0.5)}},
	"Sigmoid":    {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Sigmoid(v) }, []int{2}, []float64{1 / (1 + math.Exp(-0.5)), 1 / (1 + math.Exp(0.5))}},
	"Tanh":       {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Tanh(v) }, []int{2}, []float64{math.Tanh(0.5), math.Tanh(-0.5)}},
	"Gelu":       {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Gelu(v) }, []int{2}, []float64{0.25 * (1 + math.Erf(0.5/math.Sqrt2)), -0.25 * (1 - math.Erf(0.5/math.Sqrt2))}},
	"Floor":      {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Floor(v) }, []int{2}, []float64{0, -1}},
	"Ceil":       {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Ceil(v) }, []int{2}, []float64{1, 0}},
	"Sign":       {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Sign(v) }, []int{2}, []float64{1, -1}},
	"Erf":        {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Erf(v) }, []int{2}, []float64{math.Erf(0.5), math.Erf(-0.5)}},
	"Softplus":   {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Softplus(v) }, []int{2}, []float64{math.Log1p(math.Exp(0.5)), math.Log1p(math.Exp(-0.5))}},
	"Reciprocal": {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Reciprocal(v) }, []int{2}, []float64{2, -2}},
	"Sin":        {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Sin(v) }, []int{2}, []float64{math.Sin(0.5), math.Sin(-0.5)}},
	"Cos":        {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Cos(v) }, []int{2}, []float64{math.Cos(0.5), math.Cos(0.5)}},
	"LeakyRelu":  {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.LeakyRelu(v, 0.1) }, []int{2}, []float64{0.5, -0.05}},
	"Pow":        {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Pow(m, g.Scalar(m, 3)) }, []int{2, 2}, []float64{1, 8, 27, -64}},
	"Greater":    {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Greater(m, v) }, []int{2, 2}, []float64{1, 1, 1, 0}},
	"Less":       {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Less(m, v) }, []int{2, 2}, []float64{0, 0, 0, 1}},
	"Equal":      {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Equal(m, g.Scalar(m, 3)) }, []int{2, 2}, []float64{0, 0, 1, 0}},
	"And": {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value {
		return g.And(g.Greater(m, v), g.Less(m, g.Scalar(m, 3)))
	}, []int{2, 2}, []float64{1, 1, 0, 0}},
	"Or":            {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Or(g.Less(m, v), g.Less(m, g.Scalar(m, 2))) }, []int{2, 2}, []float64{1, 0, 0, 1}},
	"Max":           {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Max(m, v) }, []int{2, 2}, []float64{1, 2, 3, -0.5}},
	"Min":           {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Min(m, v) }, []int{2, 2}, []float64{0.5, -0.5, 0.5, -4}},
	"Where":         {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Where(g.Less(m, v), v, m) }, []int{2, 2}, []float64{1, 2, 3, -0.5}},
	"ReduceSum":     {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.ReduceSum(m, 0) }, []int{2}, []float64{4, -2}},
	"ReduceMean":    {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.ReduceMean(m, 1) }, []int{2}, []float64{1.5, -0.5}},
	"mean of all":   {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.ReduceMean(m) }, []int{}, []float64{0.5}},
	"ReduceMax":     {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.ReduceMax(m, 1) }, []int{2}, []float64{2, 3}},
	"ReduceMin":     {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.ReduceMin(m, -1) }, []int{2}, []float64{1, -4}},
	"ArgMax":        {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.ArgMax(m, 1) }, []int{2}, []float64{1, 0}},
	"Softmax":       {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Softmax(v, 0) }, []int{2}, []float64{1 / (1 + math.Exp(-1)), 1 / (1 + math.E)}},
	"LogSoftmax":    {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.LogSoftmax(v, 0) }, []int{2}, []float64{-math.Log1p(math.Exp(-1)), -math.Log1p(math.E)}},
	"Gemm":          {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Gemm(m, m, v, false) }, []int{2, 2}, []float64{7.5, -6.5, -8.5, 21.5}},
	"Gemm of bᵀ":    {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Gemm(m, m, dsl.Value{}, true) }, []int{2, 2}, []float64{5, -5, -5, 25}},
	"Reshape":       {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Reshape(m, 1, -1) }, []int{1, 4}, []float64{1, 2, 3, -4}},
	"to a scalar":   {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Reshape(g.Slice(v, 0, 0, 1)) }, []int{}, []float64{0.5}},
	"Transpose":     {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Transpose(m) }, []int{2, 2}, []float64{1, 3, 2, -4}},
	"axes as given": {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Transpose(c, 2, 0, 3, 1) }, []int{2, 1, 2, 1}, []float64{1, 2, 3, 4}},
	"Concat":        {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Concat(1, m, m) }, []int{2, 4}, []float64{1, 2, 1, 2, 3, -4, 3, -4}},
	"Split":         {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Split(m, 1, 1, 1)[1] }, []int{2, 1}, []float64{2, -4}},
	"Slice":         {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Slice(m, 0, 1, 2) }, []int{1, 2}, []float64{3, -4}},
	"Squeeze":       {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Squeeze(c, 0, 1) }, []int{2, 2}, []float64{1, 2, 3, 4}},
	"Unsqueeze":     {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Unsqueeze(v, 0, 2) }, []int{1, 2, 1}, []float64{0.5, -0.5}},
	"Gather":        {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Gather(m, g.Const([]int{1, 0, 1}), 1) }, []int{2, 3}, []float64{2, 1, 2, -4, 3, -4}},
	"Conv":          {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Conv(c, c, g.Const([]float32{1}), nil) }, []int{1, 1, 1, 1}, []float64{31}},
	"MaxPool": {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value {
		return g.MaxPool(c, dsl.Attrs{"kernel_shape": []int{1, 2}})
	}, []int{1, 1, 2, 1}, []float64{2, 4}},
	"AveragePool": {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value {
		return g.AveragePool(c, dsl.Attrs{"kernel_shape": []int{2, 1}})
	}, []int{1, 1, 1, 2}, []float64{2, 3}},
	"GlobalAveragePool": {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.GlobalAveragePool(c) }, []int{1, 1, 1, 1}, []float64{2.5}},
	"LayerNorm":         {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.LayerNorm(m, g.Const([]float32{2, 2}), v, 1) }, []int{2, 2}, []float64{-1.5, 1.5, 2.5, -2.5}},
	"Shape":             {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.Shape(c) }, []int{4}, []float64{1, 1, 2, 2}},
	"MSE":               {func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value { return g.MSE(m, v) }, []int{}, []float64{(0.25 + 6.25 + 6.25 + 12.25) / 4}},
}

// TestTyped evaluates the typed calls of operators.
func TestTyped(t *testing.T) {
	for name, c := range typed {
		t.Run(name, func(t *testing.T) {
			y := evaluated(t, c.call, nil)[0]
			if !slices.Equal(y.Shape, c.shape) {
				t.Errorf("got shape %v, want %v", y.Shape, c.shape)
			}
			near(t, y, c.want)
		})
	}
}

// TestMSEGradient compares the derivatives of the mean squared error with 2·(a−b)/n, and with its negative for b,
// whose elements are read twice.
func TestMSEGradient(t *testing.T) {
	mse := func(g *dsl.Graph, m, v, _ dsl.Value) dsl.Value { return g.MSE(m, v) }
	out := evaluated(t, mse, func(m *ir.Module) {
		body := m.Main.Body
		dxs, err := grad.Gradients(m, body, body.Results[0], body.Params[:2])
		if err != nil {
			t.Fatal(err)
		}
		body.Results = dxs
	})
	near(t, out[0], []float64{0.25, 1.25, 1.25, -1.75}) // a−b is [[0.5, 2.5], [2.5, -3.5]]
	near(t, out[1], []float64{-1.5, 0.5})
}

// evaluated records a call, lets change change the graph, and returns its results.
func evaluated(t *testing.T, call func(g *dsl.Graph, m, v, c dsl.Value) dsl.Value, change func(m *ir.Module)) (out []*tensor.Tensor) {
	t.Helper()
	m, err := dsl.Plain("typed", func(g *dsl.Graph) {
		g.Output("y", call(g, g.Input("m", dsl.Float32(2, 2)), g.Input("v", dsl.Float32(2)), g.Input("c", dsl.Float32(1, 1, 2, 2))))
	})
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(m)
	}
	if err := pass.Run(m, pass.Pipeline, nil); err != nil {
		t.Fatal(err)
	}
	values, err := eval.Run(m.Main, []tensor.Value{tensor.Of([]float32{1, 2, 3, -4}, 2, 2), tensor.Of([]float32{0.5, -0.5}, 2), tensor.Of([]float32{1, 2, 3, 4}, 1, 1, 2, 2)})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range values {
		out = append(out, v.(*tensor.Tensor))
	}
	return out
}

func near(t *testing.T, y *tensor.Tensor, want []float64) {
	t.Helper()
	got := compare.Floats(y)
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= 1e-4) {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}
