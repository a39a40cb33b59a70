package model

import (
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TrainOptions configure a trainer.
type TrainOptions struct {
	// Rate returns the learning rate after a number of updates; nil is the rate with which the trainer was
	// generated.
	Rate func(updates int) float64

	// Seed is the seed of the random numbers of a training.
	Seed uint64
}

// Stream returns the start of the random numbers of a seed. It has 31 bits.
func Stream(seed uint64) int64 { return int64(seed * 0x9e3779b97f4a7c15 >> 33) }

// Trained returns the weights among variables.
func Trained(vars []Variable) []Variable {
	var out []Variable
	for _, v := range vars {
		if v.Kind == Weight {
			out = append(out, v)
		}
	}
	return out
}

// Exported returns the new values of a model's initializers, by name.
func Exported(vars []Variable) map[string]*tensor.Tensor {
	out := map[string]*tensor.Tensor{}
	for _, v := range vars {
		if v.Kind == Weight || v.Kind == Buffer {
			out[v.Name] = v.Value
		}
	}
	return out
}
