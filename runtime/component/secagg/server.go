package secagg

import (
	"context"
	"crypto/ecdh"
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Server is the part of the peer that gets the sum. It has no state.
type Server struct{}

var errTail = errors.New("want a vector of secagg.Sum")

// splitSum splits the result of [Sum] into its two parts.
func splitSum(x []int32) (sum []int32, peers []message, err error) {
	if len(x) == 0 {
		return nil, nil, errTail
	}
	n, end := int(x[len(x)-1]), len(x)-1
	if n < 0 || n > end/8 {
		return nil, nil, errTail
	}
	for at := end - 8*n; at < end; at += 8 {
		peers = append(peers, message{peer: readKey(x[at:])})
	}
	return x[:end-8*n], peers, nil
}

// Survivors returns the peers whose vectors are in the sum.
func (Server) Survivors(_ context.Context, sum tensor.Dense[int32]) (tensor.Dense[uint8], error) {
	_, peers, err := splitSum(sum.Data)
	return vector(appendMessages(nil, peers)), err
}

// Unmask returns the sum of vectors without their masks, and their number. The other arguments are aggregates
// by [Collect]: of keys, of shares and of revealed secrets.
func (Server) Unmask(_ context.Context, roster, inbox tensor.Dense[uint8], sum tensor.Dense[int32], reveals tensor.Dense[uint8]) (tensor.Dense[int32], float32, error) {
	x, survivors, err := splitSum(sum.Data)
	if err != nil {
		return tensor.Dense[int32]{}, 0, err
	}
	u := unmasking{survivors: survivors}
	for _, part := range []struct {
		name string
		list *[]message
		from []byte
	}{{"keys", &u.roster, roster.Data}, {"shares", &u.sharers, inbox.Data}, {"what peers reveal", &u.reveals, reveals.Data}} {
		if *part.list, err = readMessages(part.from); err != nil {
			return tensor.Dense[int32]{}, 0, fmt.Errorf("%s: %w", part.name, err)
		}
	}
	if err := u.run(); err != nil {
		return tensor.Dense[int32]{}, 0, err
	}
	y := tensor.NewDense[int32](len(x))
	u.masks.apply(y.Data, x)
	return y, float32(len(survivors)), nil
}

// unmasking removes masks from a sum.
type unmasking struct {
	roster, sharers, survivors, reveals []message
	masks                               masks // what is to be removed, with the opposite sign
}

// run finds the masks that are left in the sum.
func (u *unmasking) run() error {
	for _, l := range u.survivors {
		if find(u.sharers, l.peer) < 0 {
			return fmt.Errorf("%v is in the sum, and has given no shares", l.peer)
		}
	}
	shares, err := u.shares()
	if err != nil {
		return err
	}
	for _, l := range u.sharers {
		at := find(u.roster, l.peer)
		if at < 0 {
			return fmt.Errorf("%v has given shares, and no keys", l.peer)
		}
		near := neighbors(u.roster, l.peer)
		secret, err := reconstruct(u.numbered(near, shares[l.peer]), threshold(len(near)))
		if err != nil {
			return fmt.Errorf("secrets of %v: %d of %d neighbors give their shares, want at least %d: %w", l.peer, len(shares[l.peer]), len(near), threshold(len(near)), err)
		}
		o, err := readPublicKeys(u.roster[at].body)
		if err != nil {
			return fmt.Errorf("keys of %v: %w", l.peer, err)
		}
		if find(u.survivors, l.peer) >= 0 {
			err = u.own(o, secret)
		} else {
			err = u.pairs(l.peer, o, near, secret)
		}
		if err != nil {
			return fmt.Errorf("%v: %w", l.peer, err)
		}
	}
	return nil
}

// shares returns the shares of each peer's secrets, with the revealing peers.
func (u *unmasking) shares() (map[wire.PeerID][]message, error) {
	all := map[wire.PeerID][]message{}
	for _, l := range u.reveals {
		given, err := readMessages(l.body)
		if err != nil {
			return nil, fmt.Errorf("what %v reveals: %w", l.peer, err)
		}
		for _, one := range given {
			if len(one.body) == secretSize {
				all[one.peer] = append(all[one.peer], message{l.peer, one.body})
			}
		}
	}
	return all, nil
}

// numbered numbers shares by the index of the revealing peer among the neighbors; shares of other peers are
// dropped.
func (u *unmasking) numbered(near []wire.PeerID, shares []message) (list []share) {
	for _, l := range shares {
		if i, ok := slices.BinarySearchFunc(near, l.peer, wire.PeerID.Compare); ok {
			list = append(list, share{i, [secretSize]byte(l.body)})
		}
	}
	return list
}

var errShares = errors.New("its neighbors reveal another secret than it has shared: one of them, or it, does not keep to the protocol")

// own removes the own mask of a peer whose vector is in the sum.
func (u *unmasking) own(o publicKeys, secret [secretSize]byte) error {
	if hash(secret[:]) != o.own {
		return errShares
	}
	u.masks.add(secret, -1)
	return nil
}

// pairs removes the masks that others have added for a peer whose vector is missing.
func (u *unmasking) pairs(p wire.PeerID, o publicKeys, near []wire.PeerID, secret [secretSize]byte) error {
	key, err := ecdh.X25519().NewPrivateKey(secret[:])
	if err != nil || !key.PublicKey().Equal(o.masks) {
		return errShares
	}
	for _, other := range near {
		if find(u.survivors, other) < 0 {
			continue
		}
		keys, err := readPublicKeys(u.roster[find(u.roster, other)].body)
		if err != nil {
			return err
		}
		shared, err := maskOf(key, keys.masks)
		if err != nil {
			return err
		}
		u.masks.add(shared, -signOf(other, p))
	}
	return nil
}
