package op

// Trunc is x rounded towards 0.
var Trunc = &Op{
	Name:    "Trunc",
	Domain:  Tensors,
	Since:   []int{1},
	Inputs:  []Port{{Name: "x", Types: floats}},
	Outputs: []Port{{Name: "y", Like: "x"}},
	Infer:   inferSame,
	Grad:    ZeroGrad,
	Lower:   unary("Trunc"),
	InPlace: true,
	Widen:   true,
}
