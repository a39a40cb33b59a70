package pass

// Positions of inputs that patterns read, for operators with inputs of different meaning. A test compares them with
// the schemas. The first input is op.X, unless it is listed here; the two of elementwise operators and of products of
// matrices are op.A and op.B.
const (
	inWeights  = 1 // of Conv, ConvTranspose, FusedConv, QMatMul, and of Gemm, MatMul and FusedMatMul if they multiply rows
	inBias     = 2 // of Conv, ConvTranspose, FusedConv, Gemm, FusedMatMul, LayerNormalization
	inResidual = 3 // of FusedConv, FusedMatMul
	inInto     = 3 // of ConvLastInto

	// BatchNormalization
	inBatchScale = 1
	inBatchBias  = 2
	inMean       = 3
	inVariance   = 4

	// FusedAffine
	inChannelScale = 1
	inChannelShift = 2

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
	inYZero      = 7
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

	inJoined = 0 // of Concat, the first one

	// Slice
	inSliceStarts = 1
	inSliceAxes   = 3
	inSliceSteps  = 4

	// Attention
	inQueries = 0
	inValues  = 2
	inMask    = 3

	// SoftmaxGrad and MaskedSoftmaxGrad
	inDy = 0
	inY  = 1

	inTable = 1 // of ByteTable
)
