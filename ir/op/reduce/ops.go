package reduce

import "github.com/bbgen/bbgen/ir/op"

// Ops are the operators of this family.
var Ops = []*op.Op{
	ArgMax,
	ArgMin,
	CumBestGrad,
	CumMax,
	CumMin,
	CumProd,
	CumProdGrad,
	CumSum,
	ReduceL1,
	ReduceL2,
	ReduceLogSum,
	ReduceLogSumExp,
	ReduceMax,
	ReduceMean,
	ReduceMin,
	ReduceProd,
	ReduceSum,
	ReduceSumSquare,
}
