package parts

import (
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/dp"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Sampled selects each worker with a probability, or all if none is drawn.
type Sampled struct{ dp.Sampler }

// NewSampled returns a selection of workers.
func NewSampled() *Sampled { return &Sampled{Sampler: dp.Sampler{Class: "worker", Rate: 0.5}} }

// CurrentView draws workers.
func (s *Sampled) CurrentView(n runtime.Peer) ([]wire.PeerID, error) {
	drawn, err := s.Sampler.CurrentView(n)
	if err == nil && len(drawn) == 0 {
		drawn = n.Peers(nil, s.Class)
	}
	return drawn, err
}
