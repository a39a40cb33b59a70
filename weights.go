package bbgen

import (
	"errors"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/train"
	"github.com/bbgen/bbgen/partitioner"
)

// Weight describes a trained tensor of a model.
type Weight struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"`
}

// Len returns the number of elements.
func (w Weight) Len() int {
	n := 1
	for _, d := range w.Shape {
		n *= d
	}
	return n
}

// Equal reports whether two weights have the same name and shape.
func (w Weight) Equal(o Weight) bool { return w.Name == o.Name && slices.Equal(w.Shape, o.Shape) }

// SlotWeights returns the weights of the model that is bound to a slot, in the order in which its method
// Params concatenates them. Model files are in dir.
func SlotWeights(p *partitioner.Partition, s *partitioner.Slot, dir string) ([]Weight, error) {
	if s.Binding == nil || s.Binding.Model == "" {
		return nil, errors.New("no ONNX file is bound to it")
	}
	m, how, err := boundModel(p, s, dir)
	if err != nil {
		return nil, err
	}
	return weightsOf(m, how)
}

// Weights returns the weights of a plain model that is trained as a whole. It rewrites m.
func Weights(m *ir.Module) ([]Weight, error) {
	optimizer, err := train.NewOptimizer("sgd")
	if err != nil {
		return nil, err
	}
	return weightsOf(m, train.Options{Optimizer: optimizer, Backward: true})
}

func weightsOf(m *ir.Module, how train.Options) ([]Weight, error) {
	t, err := train.Build(m, how)
	if err != nil {
		return nil, err
	}
	var out []Weight
	for _, st := range t.Step.Main.State {
		if st.Kind == ir.Parameter {
			out = append(out, Weight{st.Param.Name, append([]int{}, st.Init.Shape...)})
		}
	}
	return out, nil
}

// SlotParameters returns the total number of elements of [SlotWeights].
func SlotParameters(p *partitioner.Partition, s *partitioner.Slot, dir string) (int, error) {
	weights, err := SlotWeights(p, s, dir)
	sum := 0
	for _, w := range weights {
		sum += w.Len()
	}
	return sum, err
}
