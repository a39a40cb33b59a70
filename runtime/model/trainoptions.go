package model

import (
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TrainOptions say how a trainer runs.
type TrainOptions struct {
	// Rate is the learning rate after so many updates; nil is the rate that the
	// trainer was generated with.
	Rate func(updates int) float64

	// Seed chooses the random numbers that a training draws.
	Seed uint64
}

// Stream is where the random numbers of a seed begin. It has 31 bits.
func Stream(seed uint64) int64 { return int64(seed * 0x9e3779b97f4a7c15 >> 33) }

// Trained are the weights among variables.
func Trained(vars []Variable) []Variable {
	var out []Variable
	for _, v := range vars {
		if v.Kind == Weight {
			out = append(out, v)
		}
	}
	return out
}

// Exported is what a model's initializers have become, by name.
func Exported(vars []Variable) map[string]*tensor.Tensor {
	out := map[string]*tensor.Tensor{}
	for _, v := range vars {
		if v.Kind == Weight || v.Kind == Buffer {
			out[v.Name] = v.Value
		}
	}
	return out
}
