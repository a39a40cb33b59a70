package parts

import (
	"context"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/dp"
	"github.com/bbgen/bbgen/runtime/component/drift"
	"github.com/bbgen/bbgen/runtime/component/fedavg"
	"github.com/bbgen/bbgen/runtime/component/fedbuff"
	"github.com/bbgen/bbgen/runtime/component/fedopt"
	"github.com/bbgen/bbgen/runtime/component/qfedavg"
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

// Model is the values of the strategies of federations.
type Model = tensor.Dense[float32]

// Strategy computes a model from two. It has state from earlier calls.
type Strategy interface {
	runtime.Component
	Step(a, b Model) (Model, error)
}

// Strategies returns a new component of each strategy, codec, index and source of data.
func Strategies() []Strategy {
	return slices.Concat([]Strategy{
		&Momentum{}, &Nesterov{}, &Adagrad{}, &Adam{}, &Yogi{},
		&Prox{Prox: drift.Prox{Mu: 0.5}}, &Scaffold{Scaffold: drift.Scaffold{Rate: 0.5}}, &Dyn{Dyn: drift.Dyn{Alpha: 0.5}},
		&DynServer{DynServer: drift.DynServer{Alpha: 0.5, Clients: 3}}, &Nova{}, &Buffer{Buffer: fedbuff.Buffer{Size: 2}},
		&Noisy{Local: dp.Local{Clip: 4, Noise: 0.25}},
		&Layers{}, &Kinds{}, &Versions{}, &Sketch{}, &Frequent{}, &Common{},
	}, codecs(), stores())
}

// The optimizers of a server.
type (
	Momentum struct{ fedopt.Momentum }
	Nesterov struct{ fedopt.Nesterov }
	Adagrad  struct{ fedopt.Adagrad }
	Adam     struct{ fedopt.Adam }
	Yogi     struct{ fedopt.Yogi }
)

// Prox is FedProx.
type Prox struct{ drift.Prox }

// Step is a correction.
func (p *Prox) Step(a, b Model) (Model, error) { return p.Correct(a, b, a) }

// Scaffold is the client of SCAFFOLD.
type Scaffold struct{ drift.Scaffold }

// Step is the end of a round and a correction.
func (s *Scaffold) Step(a, b Model) (Model, error) {
	if _, err := s.Renew(a, b, a, 2); err != nil {
		return b, err
	}
	return s.Correct(a, b)
}

// Dyn is the client of FedDyn.
type Dyn struct{ drift.Dyn }

// Step is the end of a round and a correction.
func (d *Dyn) Step(a, b Model) (Model, error) {
	if _, err := d.Renew(a, b); err != nil {
		return b, err
	}
	return d.Correct(a, b, a)
}

// DynServer is the server of FedDyn.
type DynServer struct{ drift.DynServer }

// Step is a round of two clients.
func (d *DynServer) Step(a, b Model) (Model, error) { return d.DynServer.Step(a, b, 2) }

// Nova is FedNova.
type Nova struct{ drift.Nova }

// Step is the change of three steps.
func (n *Nova) Step(a, b Model) (Model, error) { return n.Normalized(a, b, 3) }

// Buffer is FedBuff.
type Buffer struct{ fedbuff.Buffer }

// Step adds a to the buffer. It returns the mean of a and the resulting model.
func (f *Buffer) Step(a, b Model) (Model, error) {
	_, version, err := f.Current(b)
	if err == nil {
		_, err = f.Add(a, version)
	}
	if err != nil {
		return a, err
	}
	model, _, err := f.Current(b)
	middle := model.Clone()
	for i, v := range a.Data {
		middle.Data[i] = (middle.Data[i] + v) / 2
	}
	return middle, err
}

// Noisy is local differential privacy.
type Noisy struct{ dp.Local }

// Step adds noise to a.
func (n *Noisy) Step(a, _ Model) (Model, error) { return n.Add(context.Background(), a) }

// Rule aggregates the contributions of peers, independent of their order.
type Rule interface {
	runtime.Component
	Contribute(context.Context, wire.PeerID, *values.Large[float32], float32) error
	Aggregate(context.Context) (Model, error)
}

// Rules returns a new component of each rule that needs only one contribution.
func Rules() []Rule {
	return []Rule{&Mean{}, &Median{}, &Trimmed{}, &Geometric{}, &Bounded{}, &Fair{Aggregator: qfedavg.Aggregator{Q: 1, Rate: 0.5}},
		&Private{Average: dp.Average{Clip: 4, Noise: 0.25, Quantile: 0.5}}, &Krum{}, &MultiKrum{Aggregator: krum.Aggregator{Keep: 2}}, &Bulyan{}, &Counted{}}
}

// IsMany reports whether a rule needs [Many] contributions.
func IsMany(r Rule) bool {
	switch r.(type) {
	case *Krum, *MultiKrum, *Bulyan:
		return true
	}
	return false
}

// Many is the number of contributions that each rule accepts.
const Many = 3

// The rules of aggregation.
type (
	Mean      struct{ fedavg.Average }
	Median    struct{ median.Aggregator }
	Trimmed   struct{ trimmed.Aggregator }
	Geometric struct{ geomedian.Aggregator }
	Bounded   struct{ normbound.Aggregator }
	Fair      struct{ qfedavg.Aggregator }
	Private   struct{ dp.Average }
	Krum      struct{ krum.Aggregator }
	MultiKrum struct{ krum.Aggregator }
	Bulyan    struct{ bulyan.Aggregator }
)
