package linear

import "github.com/bbgen/bbgen/ir/op"

// Ops are the operators of this family.
var Ops = []*op.Op{
	Cross,
	Det,
	DetGrad,
	Einsum,
	FusedMatMul,
	Gemm,
	GemmStored,
	MatMul,
	MatMulInteger,
	MatMulT,
	QLinearMatMul,
	QMatMul,
}
