package pass

// affineRules multiply constants into adjacent weights, and add weights.
var affineRules = rules{
	":BatchNormalization": {affineWeights},
	":Mul":                {affineWeights, affineTwice},
	":Div":                {affineWeights, affineTwice},
	":Add":                {affineWeights, affineTwice, sumOfConvs},
	":Sub":                {affineWeights, affineTwice, sumOfConvs},

	":Conv":                {scaledInput},
	":MatMul":              {scaledInput},
	"ai.bbgen:FusedMatMul": {scaledInput},
}
