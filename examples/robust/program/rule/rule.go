// Package rule is an aggregator that is chosen by name when a server starts, so that one
// program can be run by several rules. A program that wants one rule binds that.
package rule

import (
	"context"
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/robust/krum"
	"github.com/bbgen/bbgen/runtime/component/robust/median"
	"github.com/bbgen/bbgen/runtime/component/robust/trimmed"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Aggregator is the role Aggregator.
type Aggregator struct {
	Name   string // mean, median or krum
	Faulty int    // how many clients may be hostile
	rule
}

type rule interface {
	runtime.Component
	runtime.Gatherer
	runtime.Shaped
	Contribute(ctx context.Context, from wire.PeerID, x *runtime.Large[float32], weight float32) error
	Aggregate(context.Context) (tensor.Dense[float32], error)
}

// Open chooses the rule.
func (a *Aggregator) Open(runtime.Env) error {
	switch a.Name {
	case "mean":
		a.rule = &trimmed.Aggregator{} // that trims nothing
	case "median":
		a.rule = &median.Aggregator{}
	case "krum":
		a.rule = &krum.Aggregator{Faulty: a.Faulty}
	default:
		return fmt.Errorf("there is no rule %q, want mean, median or krum", a.Name)
	}
	return nil
}
