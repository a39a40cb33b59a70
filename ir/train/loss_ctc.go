package train

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// ctc compares the log-probabilities of classes at each time with labels that occur in this order at unknown
// times. Its targets are the labels, and the number of valid times and of labels in each sample. The mean is
// first over the labels of a sample and then over the samples.
func ctc(l *lossBuilder) (*ir.Value, error) {
	if len(l.x.Type.Shape) != 3 {
		return nil, fmt.Errorf("output %q is %s, want the three axes time, batch and classes", l.x.Name, l.x.Type)
	}
	batch := l.x.Type.Shape[1]
	if l.BatchFirst {
		batch = l.x.Type.Shape[0]
	}
	labels := l.target("target", tensor.Int64, batch, ir.Sym(l.Module.FreshSym("labels")))
	times := l.target("input_lengths", tensor.Int64, batch)
	lengths := l.target("target_lengths", tensor.Int64, batch)
	n := &ir.Node{Op: "CTCLoss", Domain: op.Own, Name: l.Module.FreshName(l.Prefix + "CTCLoss"), In: []*ir.Value{l.x, labels, times, lengths}}
	n.Attrs.Set("blank", int64(l.Blank))
	if l.BatchFirst {
		n.Attrs.Set("batch_first", int64(1))
	}
	if l.ZeroInfinity {
		n.Attrs.Set("zero_infinity", int64(1))
	}
	n.Out = []*ir.Value{{Name: n.Name, Def: n}}
	each := l.Add(n)[0]
	if l.Reduction == "mean" {
		each = l.Op("Div", each, l.Op("CastLike", l.Op("Max", lengths, l.Scalar(tensor.Int64, 1)), each))
	}
	return l.reduce(each), nil
}
