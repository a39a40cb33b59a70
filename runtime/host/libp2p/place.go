package libp2p

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	libp2ppeer "github.com/libp2p/go-libp2p/core/peer"
	circuit "github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/client"

	"github.com/bbgen/bbgen/runtime/wire"
)

// place is a reservation of the peer at a relay, through which others reach it.
type place struct {
	t      *transport
	relay  libp2ppeer.AddrInfo
	cancel context.CancelFunc
	done   chan struct{}

	mu   sync.Mutex
	held bool // guarded by mu
}

// The timeout of a reservation, and the intervals at which it is checked.
const (
	placeTimeout = 30 * time.Second
	placeRetry   = 5 * time.Second
)

// reserve makes a reservation at a relay and keeps it until it is closed.
func (t *transport) reserve(relay libp2ppeer.AddrInfo) *place {
	ctx, cancel := context.WithCancel(context.Background())
	p := &place{t: t, relay: relay, cancel: cancel, done: make(chan struct{})}
	t.host.ConnManager().Protect(relay.ID, "relay")
	go p.stay(ctx)
	return p
}

// stay renews the reservation in time, and makes it again when it is lost.
func (p *place) stay(ctx context.Context) {
	defer close(p.done)
	for {
		wait := placeRetry
		r, err := p.take(ctx)
		switch {
		case err == nil:
			wait = min(time.Until(r.Expiration)/2, time.Minute)
		case ctx.Err() == nil:
			p.t.config.Log.Warn("no place at the relay", "relay", p.relay.ID, "err", err)
		}
		p.set(err == nil)
		if !p.watch(ctx, max(wait, placeRetry)) {
			return
		}
	}
}

func (p *place) take(ctx context.Context) (*circuit.Reservation, error) {
	ctx, cancel := context.WithTimeout(ctx, placeTimeout)
	defer cancel()
	return circuit.Reserve(ctx, p.t.host, p.relay)
}

// watch waits, but less if the relay is lost meanwhile.
func (p *place) watch(ctx context.Context, wait time.Duration) bool {
	end := time.NewTimer(wait)
	defer end.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-end.C:
			return true
		case <-time.After(placeRetry):
			if p.t.host.Network().Connectedness(p.relay.ID) != network.Connected {
				return true
			}
		}
	}
}

func (p *place) set(held bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = held
}

// addresses returns the addresses of the peer through the relay; none while it has no reservation.
func (p *place) addresses() []wire.Address {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.held {
		return nil
	}
	var list []wire.Address
	for _, a := range p.relay.Addrs {
		list = append(list, wire.Address(fmt.Sprintf("%s/p2p/%v/p2p-circuit/p2p/%v", a, p.relay.ID, p.t.id)))
	}
	return list
}

// Close gives up the reservation.
func (p *place) Close() error {
	p.cancel()
	<-p.done
	return nil
}
