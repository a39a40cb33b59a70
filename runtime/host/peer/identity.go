package peer

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// identity reads the key of the peer and the list of members.
func (h *host) identity(io.Writer) error {
	key, err := h.options.key()
	if err != nil {
		return err
	}
	h.config.Self = trust.IDOf(key)
	h.key = key
	if h.members, err = trust.NewMembers(h.config.Self, h.options.Peers, h.disk, h.options.State, &h.Limits.Wire); err != nil {
		return err
	}
	if h.looks { // its class is compared with that of the peer whose arguments these are
		h.members.KeepNothing()
	} else if err := h.checkOwn(); err != nil {
		return err
	}
	if err := h.findRank(); err != nil {
		return err
	}
	if err := h.findData(); err != nil {
		return err
	}
	for _, x := range h.members.List() {
		if err := h.program.checkClass(x.Class); err != nil && h.options.State != "" {
			return fmt.Errorf("-state %s is that of another program: peer %v: %w", h.options.State, x.ID, err)
		} else if err != nil {
			return fmt.Errorf("peer %v: %w", x.ID, err)
		}
		l := h.linkOf(x.Config())
		l.proof = h.proofs[l.ID]
	}
	return nil
}

// own returns the line of -peers with the peer's id, or nil.
func (h *host) own() *trust.Member {
	i := slices.IndexFunc(h.options.Peers, func(m trust.Member) bool { return m.ID == h.config.Self })
	if i < 0 {
		return nil
	}
	return &h.options.Peers[i]
}

// checkOwn returns an error if others, whose list is the same, take the peer for one of another class or rank.
func (h *host) checkOwn() error {
	sorted := func(class string) []string { return slices.Sorted(slices.Values(classes.Split(class))) }
	m := h.own()
	switch {
	case m == nil:
		return nil
	case !slices.Equal(sorted(m.Class), sorted(h.program.Class)):
		return fmt.Errorf("-peers: %v, the id of this peer's key, is a %s there, and this is a %s: give each peer a key of its own", m.ID, m.Class, h.program.Class)
	case h.options.Rank >= 0 && h.options.Rank != m.Rank:
		return fmt.Errorf("-peers: %v, the id of this peer's key, has rank %d there, and -rank says %d", m.ID, m.Rank, h.options.Rank)
	}
	return nil
}

// findRank determines the rank of the peer: from -rank, an invitation, its own line of -peers, or its last run.
func (h *host) findRank() (err error) {
	h.config.Rank = -1
	for _, s := range h.options.Join {
		if err := h.join(s); err != nil {
			return err
		}
	}
	switch {
	case h.options.Rank >= 0:
		h.config.Rank = h.options.Rank
	case h.config.Rank < 0 && h.own() != nil:
		h.config.Rank = h.own().Rank
	case h.config.Rank < 0:
		var before *trust.Self
		if before, err = trust.Kept(h.disk, h.options.State, h.config.Self, h.program.Class); err == nil {
			h.config.Rank = before.Rank
		}
	}
	return err
}

// findData determines the data folder of the program: from -data, or the last run.
func (h *host) findData() error {
	dir, from := h.options.Data, ""
	if dir == "" {
		before, err := trust.Kept(h.disk, h.options.State, h.config.Self, h.program.Class)
		if err != nil && h.options.Rank < 0 {
			return err
		}
		if err == nil {
			dir, from = before.Data, ", which the state directory names: say where it is now"
		}
	}
	if dir == "" {
		return nil
	}
	if s, err := os.Stat(dir); err != nil || !s.IsDir() {
		return fmt.Errorf("-data %s: there is no such folder%s", dir, from)
	}
	abs, err := filepath.Abs(dir)
	h.options.Data = abs
	return err
}

// key reads the peer's key. Without a key file each start has a new key.
func (o *Options) key() (ed25519.PrivateKey, error) {
	switch {
	case o.Key != "":
		key, err := trust.ReadKey(o.Key)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("-key: %w; the command keygen makes one", err)
		}
		return key, err
	case o.State != "":
		return trust.ReadOrMakeKey(filepath.Join(o.State, state.KeyFile))
	}
	_, key, err := ed25519.GenerateKey(nil)
	return key, err
}

// join uses an invitation: its issuer becomes a member, identified by its key.
func (h *host) join(s string) error {
	if !trust.IsToken(s) {
		return h.joinAddress(s)
	}
	t, err := trust.ParseToken(s, &h.Limits.Wire)
	if err != nil {
		return fmt.Errorf("-join: %w", err)
	}
	if t.Class != h.program.Class {
		return fmt.Errorf("-join: the invitation is for a %s, this is a %s", t.Class, h.program.Class)
	}
	if r := h.options.Rank; r >= 0 && r != t.Rank {
		return fmt.Errorf("-join: the invitation is for rank %d, -rank says %d", t.Rank, r)
	}
	h.config.Rank = t.Rank
	if h.proofs == nil {
		h.proofs = map[wire.PeerID][]byte{}
	}
	h.proofs[t.Issuer.ID] = t.Proof(h.config.Self)
	t.Issuer.Issuer = true
	return h.members.Add(t.Issuer)
}

// joinAddress records an address without an invitation. Its peer is unknown unless an earlier start has pinned
// its key.
func (h *host) joinAddress(s string) error {
	a, err := trust.ParseAddress(s, &h.Limits.Wire)
	if err != nil {
		return fmt.Errorf("-join: %w", err)
	}
	if !h.options.TrustFirst {
		return fmt.Errorf("-join %s: the peer there could be any: use an invitation (see the command invite), or give -trust-first", s)
	}
	pinned := func(m trust.Member) bool { return slices.Contains(m.Addresses, a) }
	if !slices.ContainsFunc(h.members.List(), pinned) {
		h.strangers = append(h.strangers, a)
	}
	return nil
}
