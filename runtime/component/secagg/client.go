package secagg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Client is the part of a peer that contributes a vector. Its methods answer the five requests of a round, in
// their order, each once. They are commands.
type Client struct {
	Least   int      // the minimum number of peers with which it takes part; 0: 3
	Members []string // the peers that may take part, by their ids; none: any that the server names

	identity runtime.Identity
	members  []wire.PeerID
	masked   *tensor.Memory // of the last result of Mask
	store
}

// Open checks the configuration.
func (c *Client) Open(env runtime.Env) (err error) {
	if c.Least < 0 || c.Least == 1 {
		return fmt.Errorf("secagg.Client: Least is %d: a sum of one peer hides nothing; want 2 or more", c.Least)
	}
	if c.identity = env.Identity; c.identity == nil {
		return errors.New("secagg.Client: the host does not let it sign as the peer: set Identity in the runtime.Env")
	}
	for _, m := range c.Members {
		p, err := wire.ParsePeerID(m)
		if err != nil {
			return fmt.Errorf("secagg.Client: Members: %w", err)
		}
		c.members = append(c.members, p)
	}
	c.key, err = env.Secret()
	return err
}

// Keys begins a round: it returns the peer's keys. The number is the server's, and is not used.
func (c *Client) Keys(context.Context, int64) (tensor.Dense[uint8], error) {
	s, err := c.begin()
	if err != nil {
		return tensor.Dense[uint8]{}, err
	}
	o := s.publicKeys()
	return vector(append(o, c.identity.Sign(separated(s.of, "keys", o))...)), nil
}

// Shares returns shares of the peer's secrets for its neighbors. The roster is the aggregate of keys by
// [Collect].
func (c *Client) Shares(_ context.Context, roster tensor.Dense[uint8]) (tensor.Dense[uint8], error) {
	s, err := c.next(askedKeys)
	if err != nil {
		return tensor.Dense[uint8]{}, err
	}
	list, err := c.checkRoster(s, roster.Data)
	if err != nil {
		return tensor.Dense[uint8]{}, err
	}
	s.roster = slices.Clone(roster.Data)
	near := neighbors(list, c.identity.Self())
	random := s.secrets.random()
	masks, err := split(s.secrets.masks, len(near), threshold(len(near)), random)
	if err != nil {
		return tensor.Dense[uint8]{}, err
	}
	own, err := split(s.secrets.own, len(near), threshold(len(near)), random)
	if err != nil {
		return tensor.Dense[uint8]{}, err
	}
	var out []message
	for i, p := range near {
		o, err := readPublicKeys(list[find(list, p)].body)
		if err != nil {
			return tensor.Dense[uint8]{}, fmt.Errorf("keys of %v: %w", p, err)
		}
		seal, err := s.sealer(p, &o, c.identity.Self(), p)
		if err != nil {
			return tensor.Dense[uint8]{}, fmt.Errorf("keys of %v: %w", p, err)
		}
		body := seal.Seal(nil, make([]byte, seal.NonceSize()), append(masks[i][:], own[i][:]...), separated(s.of, "shares", s.roster))
		out = append(out, message{p, body})
	}
	return vector(appendMessages(nil, out)), nil
}

// checkRoster reads the list of participants, and returns an error if it is invalid.
func (c *Client) checkRoster(s *session, roster []byte) ([]message, error) {
	list, err := readMessages(roster)
	if err != nil {
		return nil, fmt.Errorf("the list of keys: %w", err)
	}
	if err := c.enough(len(list)); err != nil {
		return nil, err
	}
	self := c.identity.Self()
	for _, l := range list {
		if err := c.checkKeys(s, l, allNeighbors(len(list))); err != nil {
			return nil, err
		}
		if c.members != nil && !slices.Contains(c.members, l.peer) {
			return nil, fmt.Errorf("the server lists %v, which is not among Members", l.peer)
		}
	}
	if find(list, self) < 0 {
		return nil, errors.New("the keys of this peer came too late: the others go on without it")
	}
	return list, nil
}

// checkKeys returns an error if keys in the list of participants are not those of their peer. Keys of a neighbor that has signed
// the same lasting key in another round need no signature: with the secret of both, the neighbor authenticates the list when it
// gives its shares, and it checks its own keys in it.
func (c *Client) checkKeys(s *session, l message, neighbor bool) error {
	o, err := readPublicKeys(l.body)
	if err != nil {
		return fmt.Errorf("%v: %w", l.peer, err)
	}
	keys := l.body[:publicKeysSize]
	if l.peer == c.identity.Self() {
		if string(keys) != string(s.publicKeys()) {
			return errors.New("the server has other keys of this peer than it has made")
		}
		return nil
	}
	pair := s.pairs.with(l.peer, &o)
	if neighbor && o.lasting() && pair.signed {
		return nil
	}
	if !c.identity.Verify(l.peer, separated(s.of, "keys", keys), l.body[publicKeysSize:]) {
		return fmt.Errorf("the server sends keys of %v that are not signed for this round", l.peer)
	}
	pair.signed = true
	return nil
}

// enough returns an error if there are too few peers for privacy.
func (c *Client) enough(n int) error {
	if least := cmp.Or(c.Least, 3); n < least {
		return fmt.Errorf("%d peers take part, want at least %d", n, least)
	}
	return nil
}

// Mask returns x with masks. The inbox is the aggregate of shares by [Collect]. The result is valid until the next call,
// and as long as others hold its memory.
func (c *Client) Mask(_ context.Context, inbox tensor.Dense[uint8], x tensor.Dense[int32]) (tensor.Dense[int32], error) {
	s, err := c.next(askedShares)
	if err != nil {
		return tensor.Dense[int32]{}, err
	}
	there, err := c.checkInbox(s, inbox.Data)
	if err != nil {
		return tensor.Dense[int32]{}, err
	}
	s.inbox = slices.Clone(inbox.Data)
	roster, err := readMessages(s.roster)
	if err != nil {
		return tensor.Dense[int32]{}, err
	}
	self := c.identity.Self()
	var m masks
	m.add(s.secrets.own, 1)
	for _, p := range neighbors(roster, self) {
		if find(there, p) < 0 {
			continue // it has no shares of this peer, and this one none of its
		}
		o, err := readPublicKeys(roster[find(roster, p)].body)
		if err != nil {
			return tensor.Dense[int32]{}, err
		}
		key, err := maskOf(s.secrets.maskKey, o.masks)
		if err != nil {
			return tensor.Dense[int32]{}, fmt.Errorf("keys of %v: %w", p, err)
		}
		m.add(key, signOf(self, p))
	}
	c.masked.Release()
	y := tensor.NewDense[int32](x.Shape...)
	c.masked = y.Memory()
	m.apply(y.Data, x.Data)
	return y, nil
}

// checkInbox reads the peers that have given shares, and returns an error if the list is invalid: each neighbor
// must have one for this peer.
func (c *Client) checkInbox(s *session, inbox []byte) ([]message, error) {
	there, err := readMessages(inbox)
	if err != nil {
		return nil, fmt.Errorf("the list of shares: %w", err)
	}
	roster, err := readMessages(s.roster)
	if err != nil {
		return nil, err
	}
	if err := c.enough(len(there)); err != nil {
		return nil, err
	}
	self := c.identity.Self()
	if find(there, self) < 0 {
		return nil, errors.New("the shares of this peer came too late: the others go on without it")
	}
	for _, l := range there {
		if find(roster, l.peer) < 0 {
			return nil, fmt.Errorf("the server lists shares of %v, which has sent no keys", l.peer)
		}
	}
	near := neighbors(roster, self)
	kept := 0
	for _, p := range near {
		if at := find(there, p); at >= 0 {
			if _, err := s.open(roster, self, p, there[at].body); err != nil {
				return nil, fmt.Errorf("the shares of %v: %w", p, err)
			}
			kept++
		}
	}
	if kept < threshold(len(near)) {
		return nil, fmt.Errorf("%d of %d neighbors have given shares, want at least %d", kept, len(near), threshold(len(near)))
	}
	return there, nil
}

// Agree returns a signature of the list of peers in the sum, from [Server.Survivors], or a tag for each other peer.
func (c *Client) Agree(_ context.Context, survivors tensor.Dense[uint8]) (tensor.Dense[uint8], error) {
	s, err := c.next(askedMask)
	if err != nil {
		return tensor.Dense[uint8]{}, err
	}
	list, err := readMessages(survivors.Data)
	if err != nil {
		return tensor.Dense[uint8]{}, fmt.Errorf("the list of those in the sum: %w", err)
	}
	if err := c.enough(len(list)); err != nil {
		return tensor.Dense[uint8]{}, err
	}
	there, err := readMessages(s.inbox)
	if err != nil {
		return tensor.Dense[uint8]{}, err
	}
	for _, l := range list {
		if find(there, l.peer) < 0 {
			return tensor.Dense[uint8]{}, fmt.Errorf("the server lists %v in the sum, which has sent no shares", l.peer)
		}
	}
	s.survivors = slices.Clone(survivors.Data)
	return c.agreement(s, there)
}

// Reveal returns the secrets that the server needs to remove the masks from the sum. The proof is the aggregate
// of signatures by [Collect]: more than two thirds of the peers that have given shares must have signed the
// same as this one.
func (c *Client) Reveal(_ context.Context, proof tensor.Dense[uint8]) (tensor.Dense[uint8], error) {
	s, err := c.next(askedAgree)
	if err != nil {
		return tensor.Dense[uint8]{}, err
	}
	roster, _ := readMessages(s.roster)
	there, _ := readMessages(s.inbox)
	survivors, _ := readMessages(s.survivors)
	signed, err := readMessages(proof.Data)
	if err != nil {
		return tensor.Dense[uint8]{}, fmt.Errorf("the list of signatures: %w", err)
	}
	if err := c.checkAgreement(s, roster, there, signed); err != nil {
		return tensor.Dense[uint8]{}, err
	}
	self := c.identity.Self()
	var out []message
	for _, p := range neighbors(roster, self) {
		at := find(there, p)
		if at < 0 {
			continue
		}
		shares, err := s.open(roster, self, p, there[at].body)
		if err != nil {
			return tensor.Dense[uint8]{}, fmt.Errorf("the shares of %v: %w", p, err)
		}
		one := shares[:secretSize] // of the masks with others
		if find(survivors, p) >= 0 {
			one = shares[secretSize:] // of its own mask
		}
		out = append(out, message{p, one})
	}
	return vector(appendMessages(nil, out)), nil
}
