package op

// stepOps are what training graphs change their state with.
var stepOps = []*Op{
	Accumulate,
	Average,
	Clear,
	StepAdagrad,
	StepAdam,
	StepAdamW,
	StepLAMB,
	StepLion,
	StepMuon,
	StepRMSprop,
	StepSGD,
}
