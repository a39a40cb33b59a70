package pass

// Positions of inputs that patterns read, for operators with inputs of different meaning. A test compares them with
// the schemas.
const (
	inWeights  = 1 // of Conv, Gemm, MatMul, QMatMul
	inBias     = 2 // of Conv, FusedConv, Gemm, FusedMatMul, LayerNormalization
	inResidual = 3 // of FusedConv, FusedMatMul

	// QuantizeLinear and DequantizeLinear
	inScale = 1
	inZero  = 2

	inNormScale = 1 // of LayerNormalization, RMSNormalization
	inAxes      = 1 // of ReduceMean, ReduceMax, ReduceSum
	inIndices   = 1 // of Gather
	inShape     = 1 // of Reshape

	// QMatMul and QConv
	inSumsAdd   = 2
	inSumsMult  = 3
	inSumsShift = 4

	// QLinearMatMul and QLinearConv; the bias is that of QLinearConv
	inXScale     = 1
	inXZero      = 2
	inW          = 3
	inWScale     = 4
	inWZero      = 5
	inYScale     = 6
	inLinearBias = 8

	// Where
	inCondition = 0
	inThen      = 1
	inElse      = 2

	// Clip
	inMin = 1
	inMax = 2

	// Pad
	inPads     = 1
	inPadValue = 2
	inPadAxes  = 3

	inValues = 2 // the V of Attention
)
