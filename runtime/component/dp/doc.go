// Package dp has components that hide in noise what a single peer has sent: differential
// privacy. What peers send is how they have changed a model, not the model.
//
//   - [Average] is an aggregator of a server that is trusted: it bounds the length of each
//     change and adds noise to the mean.
//   - [Local] adds noise on a peer that trusts nobody. That is much more noise in the mean.
//   - [Discrete] adds a part of the noise on each peer, in integers, for a sum that only
//     package secagg shows to the server.
//
// [Sampler] chooses who takes part, so that noise hides more. The noise of each is a multiple of the largest length that a change may have. Package
// accountant, and "bbgen cost --privacy", say what that is worth. It is the worth for a
// peer whose change counts or is left out; who took part is not hidden.
package dp

import (
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/cpu"
)

// atLeast says what is wrong with a number of a configuration.
func atLeast(name string, x, least float64) error {
	if !(x >= least) || math.IsInf(x, 0) {
		return fmt.Errorf("%s is %v, want %v or more", name, x, least)
	}
	return nil
}

// above0 says what is wrong with a number of a configuration.
func above0(name string, x float64) error {
	if !(x > 0) || math.IsInf(x, 0) {
		return fmt.Errorf("%s is %v, want more than 0", name, x)
	}
	return nil
}

// norm is the Euclidean length of a contribution, which must be finite.
func norm(x *runtime.Large[float32]) (float64, error) {
	square, at := 0.0, 0
	for part, err := range x.Parts() {
		if err != nil {
			return 0, err
		}
		sum, err := squared(part, at)
		if err != nil {
			return 0, err
		}
		square += sum
		at += len(part)
	}
	return math.Sqrt(square), nil
}

// squared is the sum of the squares of elements, the first of which is number at.
func squared(x []float32, at int) (sum float64, err error) {
	if !cpu.AllFinite(x) {
		for i, v := range x {
			if v-v != 0 {
				return 0, fmt.Errorf("element %d is %v", at+i, v)
			}
		}
	}
	for _, v := range x {
		sum += float64(float64(v) * float64(v))
	}
	return sum, nil
}
