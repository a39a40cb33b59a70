package training

import "github.com/bbgen/bbgen/ir/op"

// Ops are the operators of this family.
var Ops = []*op.Op{
	Accumulate,
	Adagrad,
	Adam,
	Average,
	CTCLoss,
	CTCLossGrad,
	Clear,
	Gradient,
	Momentum,
	NLLLossGrad,
	NegativeLogLikelihoodLoss,
	SoftmaxCrossEntropyLoss,
	StepAdagrad,
	StepAdam,
	StepAdamW,
	StepLAMB,
	StepLion,
	StepMuon,
	StepRMSprop,
	StepSGD,
}
