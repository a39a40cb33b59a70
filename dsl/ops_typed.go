package dsl

import "github.com/bbgen/bbgen/runtime/tensor"

// Abs is |x|.
func (g *Graph) Abs(x Value) Value { return g.Op("Abs", nil, x) }

// Neg is −x.
func (g *Graph) Neg(x Value) Value { return g.Op("Neg", nil, x) }

// Sqrt is √x.
func (g *Graph) Sqrt(x Value) Value { return g.Op("Sqrt", nil, x) }

// Exp is eˣ.
func (g *Graph) Exp(x Value) Value { return g.Op("Exp", nil, x) }

// Log returns the natural logarithm of x.
func (g *Graph) Log(x Value) Value { return g.Op("Log", nil, x) }

// Relu is max(x, 0).
func (g *Graph) Relu(x Value) Value { return g.Op("Relu", nil, x) }

// Sigmoid is 1/(1+e⁻ˣ).
func (g *Graph) Sigmoid(x Value) Value { return g.Op("Sigmoid", nil, x) }

// Tanh returns the hyperbolic tangent of x.
func (g *Graph) Tanh(x Value) Value { return g.Op("Tanh", nil, x) }

// Gelu is x·Φ(x).
func (g *Graph) Gelu(x Value) Value { return g.Op("Gelu", nil, x) }

// Identity returns x.
func (g *Graph) Identity(x Value) Value { return g.Op("Identity", nil, x) }

// Floor returns the largest integers that are not above x.
func (g *Graph) Floor(x Value) Value { return g.Op("Floor", nil, x) }

// Ceil returns the smallest integers that are not below x.
func (g *Graph) Ceil(x Value) Value { return g.Op("Ceil", nil, x) }

// Round returns the nearest integers, with halves rounded to even.
func (g *Graph) Round(x Value) Value { return g.Op("Round", nil, x) }

// Sign returns −1, 0 or 1 for each element.
func (g *Graph) Sign(x Value) Value { return g.Op("Sign", nil, x) }

// Erf returns the error function of x.
func (g *Graph) Erf(x Value) Value { return g.Op("Erf", nil, x) }

// Not returns the logical negation of x.
func (g *Graph) Not(x Value) Value { return g.Op("Not", nil, x) }

// Softplus is log(1+eˣ).
func (g *Graph) Softplus(x Value) Value { return g.Op("Softplus", nil, x) }

// Reciprocal is 1/x.
func (g *Graph) Reciprocal(x Value) Value { return g.Op("Reciprocal", nil, x) }

// Sin returns the sine of x.
func (g *Graph) Sin(x Value) Value { return g.Op("Sin", nil, x) }

// Cos returns the cosine of x.
func (g *Graph) Cos(x Value) Value { return g.Op("Cos", nil, x) }

// Add returns a + b.
func (g *Graph) Add(a, b Value) Value { return g.Op("Add", nil, a, b) }

// Sub returns a − b.
func (g *Graph) Sub(a, b Value) Value { return g.Op("Sub", nil, a, b) }

// Mul returns a · b, element by element.
func (g *Graph) Mul(a, b Value) Value { return g.Op("Mul", nil, a, b) }

// Div returns a / b.
func (g *Graph) Div(a, b Value) Value { return g.Op("Div", nil, a, b) }

// Pow returns a to the power of b.
func (g *Graph) Pow(a, b Value) Value { return g.Op("Pow", nil, a, b) }

// MatMul returns the matrix product of a and b.
func (g *Graph) MatMul(a, b Value) Value { return g.Op("MatMul", nil, a, b) }

// Equal returns whether a = b, element by element.
func (g *Graph) Equal(a, b Value) Value { return g.Op("Equal", nil, a, b) }

// Greater returns whether a > b, element by element.
func (g *Graph) Greater(a, b Value) Value { return g.Op("Greater", nil, a, b) }

// Less returns whether a < b, element by element.
func (g *Graph) Less(a, b Value) Value { return g.Op("Less", nil, a, b) }

// And returns a && b, element by element.
func (g *Graph) And(a, b Value) Value { return g.Op("And", nil, a, b) }

// Or returns a || b, element by element.
func (g *Graph) Or(a, b Value) Value { return g.Op("Or", nil, a, b) }

// Max returns the larger of a and b, element by element.
func (g *Graph) Max(a, b Value) Value { return g.Op("Max", nil, a, b) }

// Min returns the smaller of a and b, element by element.
func (g *Graph) Min(a, b Value) Value { return g.Op("Min", nil, a, b) }

// ReduceSum returns the sum along the axes, which it removes. Without axes, it sums all elements.
func (g *Graph) ReduceSum(x Value, axes ...int) Value { return g.reduce("ReduceSum", x, axes) }

// ReduceMean returns the mean along the axes, which it removes. Without axes, it averages all elements.
func (g *Graph) ReduceMean(x Value, axes ...int) Value { return g.reduce("ReduceMean", x, axes) }

// ReduceMax returns the maximum along the axes, which it removes. Without axes, it is the maximum of all
// elements.
func (g *Graph) ReduceMax(x Value, axes ...int) Value { return g.reduce("ReduceMax", x, axes) }

// ReduceMin returns the minimum along the axes, which it removes. Without axes, it is the minimum of all
// elements.
func (g *Graph) ReduceMin(x Value, axes ...int) Value { return g.reduce("ReduceMin", x, axes) }

// reduce removes the axes, which ONNX keeps by default.
func (g *Graph) reduce(name string, x Value, axes []int) Value {
	in := []Value{x}
	if len(axes) > 0 {
		in = append(in, g.Const(axes))
	}
	return g.Op(name, Attrs{"keepdims": 0}, in...)
}

// Softmax returns the softmax of x along an axis.
func (g *Graph) Softmax(x Value, axis int) Value { return g.Op("Softmax", Attrs{"axis": axis}, x) }

// LogSoftmax returns the logarithm of [Graph.Softmax].
func (g *Graph) LogSoftmax(x Value, axis int) Value {
	return g.Op("LogSoftmax", Attrs{"axis": axis}, x)
}

// LeakyRelu returns x where x ≥ 0, and alpha·x elsewhere.
func (g *Graph) LeakyRelu(x Value, alpha float64) Value {
	return g.Op("LeakyRelu", Attrs{"alpha": alpha}, x)
}

// Gemm returns a·b + c for matrices. If transB is set, b is transposed. Parameter c may be omitted.
func (g *Graph) Gemm(a, b, c Value, transB bool) Value {
	return g.Op("Gemm", Attrs{"transB": transB}, a, b, c)
}

// ArgMax returns the index of the largest element along an axis.
func (g *Graph) ArgMax(x Value, axis int) Value {
	return g.Op("ArgMax", Attrs{"axis": axis, "keepdims": 0}, x)
}

// Cast converts the elements to another type.
func (g *Graph) Cast(x Value, to tensor.DType) Value { return g.Op("Cast", Attrs{"to": to}, x) }

// Reshape gives x another shape. One size may be −1, which is computed from the others.
func (g *Graph) Reshape(x Value, shape ...int) Value {
	if shape == nil {
		shape = []int{}
	}
	return g.Op("Reshape", nil, x, g.Const(shape))
}

// Transpose permutes the axes as perm gives them. Without perm, it reverses them.
func (g *Graph) Transpose(x Value, perm ...int) Value {
	var a Attrs
	if perm != nil {
		a = Attrs{"perm": perm}
	}
	return g.Op("Transpose", a, x)
}

// Concat concatenates tensors along an axis.
func (g *Graph) Concat(axis int, xs ...Value) Value {
	return g.Op("Concat", Attrs{"axis": axis}, xs...)
}

// Split splits x along an axis into parts of the given sizes.
func (g *Graph) Split(x Value, axis int, sizes ...int) []Value {
	return g.OpN("Split", len(sizes), Attrs{"axis": axis}, x, g.Const(sizes))
}

// Slice returns the elements of x from start to end along an axis.
func (g *Graph) Slice(x Value, axis, start, end int) Value {
	return g.Op("Slice", nil, x, g.Const([]int{start}), g.Const([]int{end}), g.Const([]int{axis}))
}

// Squeeze removes axes of size 1.
func (g *Graph) Squeeze(x Value, axes ...int) Value { return g.Op("Squeeze", nil, x, g.Const(axes)) }

// Unsqueeze inserts axes of size 1.
func (g *Graph) Unsqueeze(x Value, axes ...int) Value {
	return g.Op("Unsqueeze", nil, x, g.Const(axes))
}

// Gather returns the elements of x at the given indices along an axis.
func (g *Graph) Gather(x, indices Value, axis int) Value {
	return g.Op("Gather", Attrs{"axis": axis}, x, indices)
}

// Where returns a where cond is true, and b elsewhere.
func (g *Graph) Where(cond, a, b Value) Value { return g.Op("Where", nil, cond, a, b) }

// Conv returns the convolution of x with weight. The bias may be omitted.
func (g *Graph) Conv(x, weight, bias Value, a Attrs) Value { return g.Op("Conv", a, x, weight, bias) }

// MaxPool returns the largest element in each window.
func (g *Graph) MaxPool(x Value, a Attrs) Value { return g.Op("MaxPool", a, x) }

// AveragePool returns the mean of each window.
func (g *Graph) AveragePool(x Value, a Attrs) Value { return g.Op("AveragePool", a, x) }

// GlobalAveragePool returns the mean of each channel.
func (g *Graph) GlobalAveragePool(x Value) Value { return g.Op("GlobalAveragePool", nil, x) }

// LayerNorm normalizes x over the axes from axis on to mean 0 and variance 1, multiplies it by scale and adds
// bias, which may be omitted.
func (g *Graph) LayerNorm(x, scale, bias Value, axis int) Value {
	return g.Op("LayerNormalization", Attrs{"axis": axis}, x, scale, bias)
}

// Shape returns the sizes of x's axes.
func (g *Graph) Shape(x Value) Value { return g.Op("Shape", nil, x) }

// MSE returns the mean of the squares of a − b.
func (g *Graph) MSE(a, b Value) Value {
	d := g.Sub(a, b)
	return g.ReduceMean(g.Mul(d, d))
}

// CrossEntropy returns the mean cross-entropy loss of scores for the class numbers in labels.
func (g *Graph) CrossEntropy(scores, labels Value) Value {
	return g.Op("SoftmaxCrossEntropyLoss", nil, scores, labels)
}
