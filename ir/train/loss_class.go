package train

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The losses of classifiers. Their output is [batch, classes, d...].

// crossEntropy compares scores with the correct classes.
func crossEntropy(l *lossBuilder) (*ir.Value, error) {
	if err := l.classes(); err != nil {
		return nil, err
	}
	if l.Soft {
		return softCrossEntropy(l)
	}
	if l.Smoothing > 0 {
		logs := l.OpA("LogSoftmax", attrs("axis", int64(1)), l.x)
		return smoothed(l, logs)
	}
	return likelihood(l, "SoftmaxCrossEntropyLoss", l.x, l.labels())
}

// nll is the cross entropy of log-probabilities.
func nll(l *lossBuilder) (*ir.Value, error) {
	if err := l.classes(); err != nil {
		return nil, err
	}
	return likelihood(l, "NegativeLogLikelihoodLoss", l.x, l.labels())
}

func (l *lossBuilder) classes() error {
	if len(l.x.Type.Shape) < 2 {
		return fmt.Errorf("output %q is %s, want [batch, classes, ...]", l.x.Name, l.x.Type)
	}
	rank := len(l.x.Type.Shape)
	axis := l.Axis
	if axis < 0 {
		axis += rank
	}
	if axis < 0 || axis >= rank {
		return fmt.Errorf("output %q is %s, it has no axis %d", l.x.Name, l.x.Type, l.Axis)
	}
	if axis > 1 { // [batch, d..., classes, ...]
		perm := []int64{0, int64(axis)}
		for i := 1; i < rank; i++ {
			if i != axis {
				perm = append(perm, int64(i))
			}
		}
		l.x = l.OpA("Transpose", attrs("perm", perm), l.x)
	}
	return nil
}

// labels adds a target with the correct classes.
func (l *lossBuilder) labels() *ir.Value {
	shape := l.x.Type.Shape
	return l.target("target", tensor.Int64, append([]ir.Dim{shape[0]}, shape[2:]...)...)
}

// ignores returns the labels that do not count because the author says so.
func (l *Loss) ignores() []int {
	if l.Ignore == nil {
		return nil
	}
	return []int{*l.Ignore}
}

// ignored returns the class to ignore, which is PyTorch's by default.
func (l *lossBuilder) ignored() int {
	if l.Ignore != nil {
		return *l.Ignore
	}
	return -100
}

// likelihood returns one of ONNX's losses.
func likelihood(l *lossBuilder, name string, x, labels *ir.Value) (*ir.Value, error) {
	w, err := l.weights()
	if err != nil {
		return nil, err
	}
	in := []*ir.Value{x, labels}
	if w != nil {
		in = append(in, w)
	}
	return l.OpA(name, attrs("reduction", l.Reduction, "ignore_index", int64(l.ignored())), in...), nil
}

// softCrossEntropy compares with probabilities. The loss of a sample is -Σ w·p·log(softmax(x)), and the mean
// is over the samples.
func softCrossEntropy(l *lossBuilder) (*ir.Value, error) {
	p := l.same()
	if l.Smoothing > 0 {
		n, ok := l.x.Type.Shape[1].Const()
		if !ok {
			return nil, fmt.Errorf("the number of classes is not known")
		}
		p = l.Op("Add", l.Op("Mul", p, l.num(1-l.Smoothing)), l.num(l.Smoothing/float64(n)))
	}
	logs := l.OpA("LogSoftmax", attrs("axis", int64(1)), l.x)
	w, err := l.weights()
	if err != nil {
		return nil, err
	}
	if w != nil {
		logs = l.Op("Mul", logs, column(l, w))
	}
	each := l.Op("Neg", l.sum(l.Op("Mul", logs, p), 1))
	return l.reduce(each), nil
}

// weight returns the sum of the weights of the labels that are not ignored, as the negative log-likelihood of
// -1 everywhere.
func (l *lossBuilder) weight(logs, labels, w *ir.Value) *ir.Value {
	in := []*ir.Value{op.Fill(l.Builder, logs, -1), labels}
	if w != nil {
		in = append(in, w)
	}
	return l.OpA("NegativeLogLikelihoodLoss", attrs("reduction", "sum", "ignore_index", int64(l.ignored())), in...)
}

// column returns a vector with one number for each class, broadcast to the rank of the output.
func column(l *lossBuilder, w *ir.Value) *ir.Value {
	shape := make([]int, len(l.x.Type.Shape))
	for i := range shape {
		shape[i] = 1
	}
	shape[1] = -1
	return l.Op("Reshape", w, l.Ints(shape...))
}

// smoothed distributes a part of each target over all classes:
//
//	(1-s)·nll + s/classes · Σ -w·logs
func smoothed(l *lossBuilder, logs *ir.Value) (*ir.Value, error) {
	classes, ok := l.x.Type.Shape[1].Const()
	if !ok {
		return nil, fmt.Errorf("the number of classes is not known")
	}
	labels := l.labels()
	w, err := l.weights()
	if err != nil {
		return nil, err
	}
	hard, err := likelihood(l, "NegativeLogLikelihoodLoss", logs, labels)
	if err != nil {
		return nil, err
	}
	all := logs
	if w != nil {
		all = l.Op("Mul", logs, column(l, w))
	}
	counts := l.Op("Not", l.Op("Equal", labels, l.Scalar(tensor.Int64, float64(l.ignored()))))
	each := l.Op("Where", counts, l.Op("Neg", l.sum(all, 1)), l.num(0))
	soft := each
	if l.Reduction != "none" {
		soft = l.OpA("ReduceSum", attrs("keepdims", int64(0)), each)
	}
	if l.Reduction == "mean" {
		soft = l.Op("Div", soft, l.weight(logs, labels, w))
	}
	return l.Op("Add", l.Op("Mul", hard, l.num(1-l.Smoothing)), l.Op("Mul", soft, l.num(l.Smoothing/float64(classes)))), nil
}
