package dp

import (
	"errors"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/peers"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Sampler implements the role PeerSelector with Poisson sampling, which reduces the privacy loss of an
// [Average] with the same rate, as the participants of a round are secret. It has only CurrentView.
type Sampler struct {
	Class string
	Rate  float64 // probability that a peer is in the view, independent of others
	source
}

// Open checks the configuration.
func (s *Sampler) Open(env runtime.Env) error {
	if !(s.Rate > 0 && s.Rate <= 1) || s.Class == "" {
		return errors.New("dp.Sampler: want a Class, and a Rate between 0 and 1")
	}
	return s.open(env)
}

// Sampling is the rate, which the noise in what the peers send must count on.
func (s *Sampler) Sampling() float64 { return s.Rate }

// CurrentView is peers of the class by rank, drawn anew in each call.
func (s *Sampler) CurrentView(n runtime.Peer) ([]wire.PeerID, error) {
	all, err := (&peers.View{Class: s.Class}).CurrentView(n)
	return s.drawFrom(all), err
}

// drawFrom draws from a list.
func (s *Sampler) drawFrom(all []wire.PeerID) (drawn []wire.PeerID) {
	r := s.next()
	for _, p := range all {
		if r.Float64() < s.Rate {
			drawn = append(drawn, p)
		}
	}
	return drawn
}
