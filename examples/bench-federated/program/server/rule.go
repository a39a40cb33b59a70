package server

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/robust"
	"github.com/bbgen/bbgen/runtime/component/robust/bulyan"
	"github.com/bbgen/bbgen/runtime/component/robust/geomedian"
	"github.com/bbgen/bbgen/runtime/component/robust/krum"
	"github.com/bbgen/bbgen/runtime/component/robust/median"
	"github.com/bbgen/bbgen/runtime/component/robust/normbound"
	"github.com/bbgen/bbgen/runtime/component/robust/trimmed"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Rule is an aggregator that is chosen by name.
type Rule struct {
	Name   string // one of [Rules]
	Faulty int    // how many clients may be hostile
	rule
}

// Rules are the names of all.
var Rules = []string{"mean", "median", "trimmed", "krum", "multikrum", "bulyan", "geomedian", "normbound"}

type rule interface {
	runtime.Component
	runtime.Gatherer
	runtime.Shaped
	Contribute(from wire.PeerID, x *runtime.Large[float32], weight float32) error
	Aggregate() (tensor.Dense[float32], error)
}

// Open chooses the rule.
func (a *Rule) Open(runtime.Env) error {
	switch a.Name {
	case "mean":
		a.rule = &weighted{}
	case "median":
		a.rule = &median.Aggregator{}
	case "trimmed":
		a.rule = &trimmed.Aggregator{Faulty: a.Faulty}
	case "krum":
		a.rule = &krum.Aggregator{Faulty: a.Faulty}
	case "multikrum":
		a.rule = &krum.Aggregator{Faulty: a.Faulty, Keep: 5}
	case "bulyan":
		a.rule = &bulyan.Aggregator{Faulty: a.Faulty}
	case "geomedian":
		a.rule = &geomedian.Aggregator{}
	case "normbound":
		a.rule = &normbound.Aggregator{}
	default:
		return fmt.Errorf("there is no rule %q, want one of %v", a.Name, Rules)
	}
	return nil
}

// weighted is the mean by weight.
type weighted struct{ robust.Contributions }

// Aggregate is the mean.
func (w *weighted) Aggregate() (tensor.Dense[float32], error) {
	return w.Combine(func(dst []float32, x [][]float32, weights []float32) error {
		factors, sum := make([]float64, len(x)), 0.0
		for i, v := range weights {
			factors[i] = float64(v)
			sum += factors[i]
		}
		cpu.AverageScaled(dst, x, factors, sum)
		return nil
	})
}
