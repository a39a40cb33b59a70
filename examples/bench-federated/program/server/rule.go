package server

import (
	"context"
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/dp"
	"github.com/bbgen/bbgen/runtime/component/fedavg"
	"github.com/bbgen/bbgen/runtime/component/robust/bulyan"
	"github.com/bbgen/bbgen/runtime/component/robust/geomedian"
	"github.com/bbgen/bbgen/runtime/component/robust/krum"
	"github.com/bbgen/bbgen/runtime/component/robust/median"
	"github.com/bbgen/bbgen/runtime/component/robust/normbound"
	"github.com/bbgen/bbgen/runtime/component/robust/trimmed"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Rule is an aggregator that is selected by name.
type Rule struct {
	Name   string  // one of [Rules], or gaussian
	Faulty int     // number of clients that may be hostile
	Clip   float64 // of gaussian: the largest norm of a change
	Noise  float64 // of gaussian: the standard deviation of the noise in the sum, divided by Clip
	rule
}

// Rules are the names of the rules against hostile clients, and of the mean.
var Rules = []string{"mean", "median", "trimmed", "krum", "multikrum", "bulyan", "geomedian", "normbound"}

type rule interface {
	runtime.Component
	runtime.Gatherer
	runtime.Shaped
	Contribute(ctx context.Context, from wire.PeerID, x *values.Large[float32], weight float32) error
	Aggregate(context.Context) (tensor.Dense[float32], error)
}

// Open creates the rule.
func (a *Rule) Open(env runtime.Env) error {
	switch a.Name {
	case "mean":
		a.rule = &fedavg.Average{}
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
	case "gaussian":
		mean := &dp.Average{Clip: a.Clip, Noise: a.Noise}
		a.rule = mean
		return mean.Open(env)
	default:
		return fmt.Errorf("there is no rule %q, want gaussian or one of %v", a.Name, Rules)
	}
	return nil
}
