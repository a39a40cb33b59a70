package registry

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/component/peers"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Client implements the role Protocol of a peer that announces itself to registries, and learns from them about
// other peers.
type Client struct {
	Registry  string   // the class of the registries
	Wants     []string // the classes of peers about which it wants to learn
	TTL       int      // how many seconds an announcement is valid; 0: 90
	Addresses []string // its own addresses; none: those of its node
	Most      int      // the maximum number of known peers; 0: 4096

	// Admits makes the client admit peers on a registry's word alone.
	Admits bool

	table
}

// Tick returns the announcement to all registries.
func (c *Client) Tick(n runtime.Peer) ([]wire.PeerID, tensor.Dense[uint8], error) {
	h := hello{ttl: uint64(cmp.Or(c.TTL, 90)), wants: c.Wants, addresses: n.Address(n.Self())}
	if len(c.Addresses) > 0 {
		h.addresses = nil
		for _, a := range c.Addresses {
			h.addresses = append(h.addresses, wire.Address(a))
		}
	}
	b := h.append(nil)
	return n.Peers(nil, c.Registry), tensor.DenseOf(b, len(b)), nil
}

var errNoRegistry = errors.New("it is no registry")

// Answered handles a registry's answer about other peers. Wrong data about one peer do not affect the others.
func (c *Client) Answered(n runtime.Peer, from wire.PeerID, answer tensor.Dense[uint8]) error {
	if class, _, _ := n.ClassOf(from); !classes.Is(class, c.Registry) {
		return fmt.Errorf("peer %v of class %q sends addresses of others: %w", from, class, errNoRegistry)
	}
	list, err := parseAnswer(answer.Data)
	if err != nil {
		return err
	}
	c.expire(n.Now())
	var errs []error
	for i := range list {
		if err := c.addPeer(n, &list[i]); err != nil {
			errs = append(errs, fmt.Errorf("peer %v, in the answer of %v: %w", list[i].id, from, err))
		}
	}
	return errors.Join(errs...)
}

// addPeer records a peer, its addresses, and its validity.
func (c *Client) addPeer(n runtime.Peer, f *found) error {
	class, _, admitted := n.ClassOf(f.id)
	switch {
	case f.id == n.Self() || !admitted && !c.Admits:
		return nil
	case admitted && class != f.class:
		return fmt.Errorf("it is said to be of class %q, and was admitted as %q", f.class, class)
	case !admitted && !c.isRequested(f.class):
		return fmt.Errorf("it is of class %q, which was not requested", f.class)
	case !admitted:
		if err := n.Allow(runtime.PeerConfig{ID: f.id, Class: f.class, Rank: f.rank}); err != nil {
			return err
		}
	}
	if err := note(n, f.id, f.addresses); err != nil {
		return err
	}
	if !c.note(f.id, n.Now()+min(f.ttl, int64(maxTTL)), cmp.Or(c.Most, 4096)) {
		return fmt.Errorf("there is no room for it: %d peers are known", len(c.list))
	}
	return nil
}

func (c *Client) isRequested(class string) bool {
	return slices.ContainsFunc(c.Wants, func(one string) bool { return classes.Is(class, one) })
}

// View implements the role PeerSelector for the live peers of a class that a client knows. Its field Client is
// the component in the client's slot, set with Needs.
type View struct {
	Class  string
	Client *Client
}

// CurrentView returns the live peers, by rank.
func (v *View) CurrentView(n runtime.Peer) ([]wire.PeerID, error) {
	v.Client.expire(n.Now())
	var list []wire.PeerID
	for _, p := range n.Peers(nil, v.Class) {
		if v.Client.has(p) {
			list = append(list, p)
		}
	}
	return list, nil
}

// Select returns k of the peers: kind is "random", or "all".
func (v *View) Select(n runtime.Peer, kind string, k int) ([]wire.PeerID, error) {
	list, _ := v.CurrentView(n)
	return peers.Select(n.Rand(), list, kind, k)
}

// Sample draws k of the peers.
func (v *View) Sample(n runtime.Peer, k int) ([]wire.PeerID, error) { return v.Select(n, "random", k) }

// SelectNear returns the k peers nearest to a key, like [peers.View].
func (v *View) SelectNear(n runtime.Peer, key tensor.Dense[uint8], k int) ([]wire.PeerID, error) {
	list, _ := v.CurrentView(n)
	return peers.Nearest(list, key.Data, k), nil
}

// Open checks the configuration.
func (c *Client) Open(runtime.Env) error {
	switch {
	case c.Registry == "":
		return errors.New("registry.Client: which class are the registries?")
	case len(c.Wants) > maxWants || len(c.Addresses) > maxAddresses:
		return fmt.Errorf("registry.Client: %d classes and %d addresses, want at most %d and %d", len(c.Wants), len(c.Addresses), maxWants, maxAddresses)
	case c.Most < 0:
		return fmt.Errorf("registry.Client: Most is %d, want 0 or more", c.Most)
	case c.TTL < 0 || int64(c.TTL) > int64(maxTTL/time.Second):
		return fmt.Errorf("registry.Client: TTL is %d seconds, want 1 to %d", c.TTL, maxTTL/time.Second)
	}
	return nil
}
