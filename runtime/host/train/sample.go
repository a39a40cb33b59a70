package train

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/component/dataset"
)

// Balanced is the sampling by which all classes are drawn equally often.
const Balanced = "balanced"

// weigh prepares the sampling of the options. It returns the set without a column of weights.
func (t *trainer) weigh(set *dataset.Set) (*dataset.Set, error) {
	var weights []float32
	var err error
	switch t.opt.Sample {
	case "":
		return set, nil
	case Balanced:
		weights, err = dataset.BalancedWeights(set.Train)
	default:
		rest := *set
		weights, rest.Train, err = dataset.TakeWeights(set.Train)
		if err == nil && set.Val != nil && len(dataset.More(set.Val)) > len(dataset.More(rest.Train)) { // they are a part of the same
			_, rest.Val, err = dataset.TakeWeights(set.Val)
		}
		set = &rest
	}
	if err == nil {
		t.draws, err = dataset.NewDraws(weights)
	}
	if err != nil {
		return nil, fmt.Errorf("--sample %s: %w", t.opt.Sample, err)
	}
	return set, nil
}

// order returns the examples of an epoch, in their order.
func (t *trainer) order(epoch int) []int {
	if t.draws != nil {
		return t.draws.Order(t.opt.Seed, epoch)
	}
	return dataset.Order(t.opt.Seed, epoch, t.train.source.Len())
}
