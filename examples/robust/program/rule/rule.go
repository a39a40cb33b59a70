// Package rule contains an aggregator that is selected by name when a server starts, so that one program can
// run with several rules. A program with one rule would bind that component instead.
package rule

import (
	"context"
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/robust/krum"
	"github.com/bbgen/bbgen/runtime/component/robust/median"
	"github.com/bbgen/bbgen/runtime/component/robust/trimmed"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Aggregator implements the role Aggregator.
type Aggregator struct {
	Name   string // mean, median or krum
	Faulty int    // number of clients that may be hostile
	rule
}

type rule interface {
	runtime.Component
	runtime.Gatherer
	runtime.Shaped
	Contribute(ctx context.Context, from wire.PeerID, x *values.Large[float32], weight float32) error
	Aggregate(context.Context) (tensor.Dense[float32], error)
}

// Open creates the rule.
func (a *Aggregator) Open(runtime.Env) error {
	switch a.Name {
	case "mean":
		a.rule = &trimmed.Aggregator{} // without trimming, it is the mean
	case "median":
		a.rule = &median.Aggregator{}
	case "krum":
		a.rule = &krum.Aggregator{Faulty: a.Faulty}
	default:
		return fmt.Errorf("there is no rule %q, want mean, median or krum", a.Name)
	}
	return nil
}
