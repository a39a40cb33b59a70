package contrib

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [ExpandDims].
const (
	expandDimsX = iota
	expandDimsAxis
)

// The inputs of [FusedConv].
const (
	fusedConvX = iota
	fusedConvW
	fusedConvB
	fusedConvZ
)

// Operators that ONNX Runtime fuses, and operators that ONNX has under other names.
var (
	Gelu = &op.Op{
		Name:    "Gelu",
		Domain:  op.Microsoft,
		Since:   []int{1},
		Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
		Outputs: []op.Port{{Name: "Y", Like: "X"}},
		Expand:  one(func(b *ir.Builder, n *ir.Node) *ir.Value { return b.Op("Gelu", n.In[op.X]) }),
	}
	BiasGelu = &op.Op{
		Name:    "BiasGelu",
		Domain:  op.Microsoft,
		Since:   []int{1},
		Inputs:  []op.Port{{Name: "A", Types: elem.Floats}, {Name: "B", Like: "A"}},
		Outputs: []op.Port{{Name: "C", Like: "A"}},
		Expand:  one(func(b *ir.Builder, n *ir.Node) *ir.Value { return b.Op("Gelu", plus(b, n.In...)) }),
	}
	FastGelu = &op.Op{
		Name:    "FastGelu",
		Domain:  op.Microsoft,
		Since:   []int{1},
		Inputs:  []op.Port{{Name: "X", Types: elem.Floats}, {Name: "bias", Like: "X", Optional: true}},
		Outputs: []op.Port{{Name: "Y", Like: "X"}},
		Expand:  one(fastGelu),
	}
	QuickGelu = &op.Op{
		Name:    "QuickGelu",
		Domain:  op.Microsoft,
		Since:   []int{1},
		Attrs:   []op.Attr{{Name: "alpha", Kind: op.Float, Default: 1.702}},
		Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
		Outputs: []op.Port{{Name: "Y", Like: "X"}},
		Expand:  one(quickGelu),
	}

	GatherND = &op.Op{
		Name:    "GatherND",
		Domain:  op.Microsoft,
		Since:   []int{1},
		Inputs:  []op.Port{{Name: "data", Types: elem.Any}, {Name: "indices", Types: elem.Indices}},
		Outputs: []op.Port{{Name: "output", Like: "data"}},
		Expand:  renamed("GatherND"),
	}
	Trilu = &op.Op{
		Name:    "Trilu",
		Domain:  op.Microsoft,
		Since:   []int{1},
		Attrs:   []op.Attr{{Name: "upper", Kind: op.Int, Default: 1}},
		Inputs:  []op.Port{{Name: "X", Types: elem.Any}, {Name: "k", Types: elem.Indices, Optional: true}},
		Outputs: []op.Port{{Name: "Y", Like: "X"}},
		Expand:  renamed("Trilu"),
	}
	ExpandDims = &op.Op{
		Name:    "ExpandDims",
		Domain:  op.Microsoft,
		Since:   []int{1},
		Inputs:  []op.Port{expandDimsX: {Name: "X", Types: elem.Any}, expandDimsAxis: {Name: "axis", Types: elem.Indices}},
		Outputs: []op.Port{{Name: "Y", Like: "X"}},
		Expand: one(func(b *ir.Builder, n *ir.Node) *ir.Value {
			return b.Op("Unsqueeze", n.In[expandDimsX], b.Op("Reshape", op.Cast(b, n.In[expandDimsAxis], tensor.Int64), b.Ints(1)))
		}),
	}
	CDist = &op.Op{
		Name:    "CDist",
		Domain:  op.Microsoft,
		Since:   []int{1},
		Attrs:   []op.Attr{{Name: "metric", Kind: op.String, Default: "sqeuclidean", Values: []string{"sqeuclidean", "euclidean"}}},
		Inputs:  []op.Port{{Name: "A", Types: elem.Floats}, {Name: "B", Like: "A"}},
		Outputs: []op.Port{{Name: "C", Like: "A"}},
		Expand:  distances,
	}

	FusedMatMul = &op.Op{
		Name:   "FusedMatMul",
		Domain: op.Microsoft,
		Since:  []int{1},
		Attrs: []op.Attr{
			{Name: "alpha", Kind: op.Float, Default: 1.0},
			{Name: "transA", Kind: op.Int, Default: 0},
			{Name: "transB", Kind: op.Int, Default: 0},
			{Name: "transBatchA", Kind: op.Int, Default: 0, Fixed: true},
			{Name: "transBatchB", Kind: op.Int, Default: 0, Fixed: true},
		},
		Inputs:  []op.Port{{Name: "A", Types: elem.Floats}, {Name: "B", Like: "A"}},
		Outputs: []op.Port{{Name: "Y", Like: "A"}},
		Expand:  fusedMatMul,
	}
	FusedGemm = &op.Op{
		Name:   "FusedGemm",
		Domain: op.Microsoft,
		Since:  []int{1},
		Attrs: []op.Attr{
			{Name: "activation", Kind: op.String, Default: ""},
			{Name: "activation_alpha", Kind: op.Float, Default: 0.0},
			{Name: "activation_beta", Kind: op.Float, Default: 0.0},
			{Name: "activation_gamma", Kind: op.Float, Default: 0.0},
			{Name: "alpha", Kind: op.Float, Default: 1.0},
			{Name: "beta", Kind: op.Float, Default: 1.0},
			{Name: "transA", Kind: op.Int, Default: 0},
			{Name: "transB", Kind: op.Int, Default: 0},
		},
		Inputs: []op.Port{
			{Name: "A", Types: elem.Of(tensor.Float32, tensor.Int32, tensor.Int64, tensor.Float16, tensor.Float64, tensor.Uint32, tensor.Uint64)},
			{Name: "B", Like: "A"},
			{Name: "C", Like: "A", Optional: true},
		},
		Outputs: []op.Port{{Name: "Y", Like: "A"}},
		Expand:  fusedGemm,
	}
	FusedConv = &op.Op{
		Name:   "FusedConv",
		Domain: op.Microsoft,
		Since:  []int{1},
		Attrs: []op.Attr{
			{Name: "activation", Kind: op.String, Default: ""},
			{Name: "activation_params", Kind: op.Floats},
			{Name: "auto_pad", Kind: op.String, Default: "NOTSET", Values: op.AutoPads},
			{Name: "dilations", Kind: op.Ints},
			{Name: "group", Kind: op.Int, Default: 1},
			{Name: "kernel_shape", Kind: op.Ints},
			{Name: "pads", Kind: op.Ints},
			{Name: "strides", Kind: op.Ints},
		},
		Inputs: []op.Port{
			fusedConvX: {Name: "X", Types: elem.Floats},
			fusedConvW: {Name: "W", Like: "X"},
			fusedConvB: {Name: "B", Like: "X", Optional: true},
			fusedConvZ: {Name: "Z", Like: "X", Optional: true},
		},
		Outputs: []op.Port{{Name: "Y", Like: "X"}},
		Expand:  fusedConv,
	}
)

// distances returns the distance of each row of one matrix to each row of another.
func distances(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if err := needRanks(n, map[int]int{0: 2, 1: 2}); err != nil {
		return nil, err
	}
	d := b.Op("Sub", b.Op("Unsqueeze", n.In[op.A], b.Ints(1)), b.Op("Unsqueeze", n.In[op.B], b.Ints(0)))
	y := b.OpA("ReduceSumSquare", op.Attrs("keepdims", 0), d, b.Ints(2))
	if n.Str("metric") == "euclidean" {
		y = b.Op("Sqrt", y)
	}
	return []*ir.Value{y}, nil
}

// fastGelu is tanh's approximation, of the sum with a bias.
func fastGelu(b *ir.Builder, n *ir.Node) *ir.Value {
	return b.OpA("Gelu", op.Attrs("approximate", "tanh"), plus(b, n.In...))
}

// quickGelu is x·σ(α·x).
func quickGelu(b *ir.Builder, n *ir.Node) *ir.Value {
	x := n.In[op.X]
	return b.Op("Mul", x, b.Op("Sigmoid", b.Op("Mul", x, op.ScalarLike(b, x, n.Float("alpha")))))
}

// fusedMatMul returns a product of matrices of which each may be transposed, times a
// number.
func fusedMatMul(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if err := lacking(n, nil, "transBatchA", "transBatchB"); err != nil {
		return nil, err
	}
	x, y := n.In[op.A], n.In[op.B]
	if n.Int("transA") != 0 {
		x = turn(b, x)
	}
	if n.Int("transB") != 0 {
		y = turn(b, y)
	}
	p := b.Op("MatMul", x, y)
	if alpha := n.Float("alpha"); alpha != 1 {
		p = b.Op("Mul", p, op.ScalarLike(b, p, alpha))
	}
	return []*ir.Value{p}, nil
}

// turn swaps the last two axes; a vector stays as it is.
func turn(b *ir.Builder, x *ir.Value) *ir.Value {
	rank := len(op.Shape(x))
	if rank < 2 {
		return x
	}
	perm := make([]int, rank)
	for i := range perm {
		perm[i] = i
	}
	perm[rank-1], perm[rank-2] = rank-2, rank-1
	return b.OpA("Transpose", op.Attrs("perm", perm), x)
}

func fusedGemm(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	y := b.OpA("Gemm", given(n, "alpha", "beta", "transA", "transB"), n.In...)
	y, err := activated(b, y, n.Str("activation"), []float64{n.Float("activation_alpha"), n.Float("activation_beta")})
	return []*ir.Value{y}, err
}

func fusedConv(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	attrs := given(n, "auto_pad", "dilations", "group", "kernel_shape", "pads", "strides")
	y := plus(b, b.OpA("Conv", attrs, n.In[fusedConvX], n.In[fusedConvW], n.Arg(fusedConvB)), n.Arg(fusedConvZ))
	y, err := activated(b, y, n.Str("activation"), n.Floats("activation_params"))
	return []*ir.Value{y}, err
}

// activated returns an activation of x by its ONNX name and its parameters.
func activated(b *ir.Builder, x *ir.Value, name string, params []float64) (*ir.Value, error) {
	param := func(i int, def float64) float64 {
		if i < len(params) {
			return params[i]
		}
		return def
	}
	switch name {
	case "":
		return x, nil
	case "Relu", "Tanh", "Sigmoid", "HardSwish":
		return b.Op(name, x), nil
	case "LeakyRelu":
		return b.OpA(name, op.Attrs("alpha", param(0, 0.01)), x), nil
	case "HardSigmoid":
		return b.OpA(name, op.Attrs("alpha", param(0, 0.2), "beta", param(1, 0.5)), x), nil
	case "Clip":
		return b.Op(name, x, op.ScalarLike(b, x, param(0, 0)), op.ScalarLike(b, x, param(1, 0))), nil
	}
	return nil, fmt.Errorf("activation is %q, want Relu, Tanh, Sigmoid, HardSwish, LeakyRelu, HardSigmoid or Clip", name)
}
