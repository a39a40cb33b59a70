package op

// ReduceMax is the largest element along axes; false is below true. NaN wins.
//
// https://onnx.ai/onnx/operators/onnx__ReduceMax.html
var ReduceMax = &Op{
	Name:    "ReduceMax",
	Since:   []int{1, 11, 12, 13, 18, 20},
	In:      Arity{1, 2},
	Out:     One,
	Infer:   inferReduce(numbers.or("a number or bool", bools)),
	Upgrade: upgradeReduce,
	Lower:   lowerReduceMax,
	Widen:   true,
}

func lowerReduceMax(l *Lowering) error {
	if bools.has(l.In[0].Type.Elem) {
		return reduce("ReduceAny")(l)
	}
	return reduce("ReduceMaximum")(l)
}
