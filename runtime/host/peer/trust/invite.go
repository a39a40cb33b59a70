package trust

import (
	"crypto/hmac"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/lockfile"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/wire"
)

// invitation is what the issuer stores of a token until it is used.
type invitation struct {
	Class   string    `json:"class"`
	Rank    int       `json:"rank"`
	Expires time.Time `json:"expires"`
	Secret  []byte    `json:"secret"`
}

const inviteExt = ".json"

func inviteFile(dir, name string) string { return filepath.Join(dir, state.InvitesDir, name+inviteExt) }

// invite writes an invitation. The peer that uses the state directory finds it when a joining peer proves it. A
// lock makes the choice of a free rank exclusive.
func (m *Members) invite(of *Self, class string, rank int, expires time.Time) (*invitation, error) {
	lock, err := lockfile.Await(filepath.Join(m.dir, state.InvitesDir), lockTimeout)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	if rank < 0 {
		if by := m.issuer(); by != nil {
			return nil, fmt.Errorf("invite: this peer itself was invited by %s-%d, which has the list of taken ranks: invite there, or give -rank", by.Class, by.Rank)
		}
		if rank, err = m.freeRank(of, class); err != nil {
			return nil, err
		}
	} else if of.Rank == rank && classes.Shares(of.Class, class) {
		return nil, ArgumentError{fmt.Errorf("invite: this peer itself is %s-%d", of.Class, rank)}
	}
	inv := &invitation{class, rank, expires, newSecret()}
	b, err := state.Seal(inv)
	if err != nil {
		return nil, err
	}
	return inv, disk.Write(m.disk, inviteFile(m.dir, inviteName(inv.Secret)), 0o600, b)
}

// issuer returns the peer whose invitation admitted this one, or nil.
func (m *Members) issuer() *Member {
	list := m.List()
	if i := slices.IndexFunc(list, func(x Member) bool { return x.Issuer }); i >= 0 {
		return &list[i]
	}
	return nil
}

// lockTimeout is how long to wait for other processes that invite.
const lockTimeout = time.Minute

// freeRank returns the first free rank of a class: one that neither the peer itself, nor a configured peer, an
// invitation or a member has. A peer becomes a member before its invitation is removed, so members are read
// last.
func (m *Members) freeRank(of *Self, class string) (int, error) {
	used := map[int]bool{}
	take := func(c string, rank int) { used[rank] = used[rank] || classes.Shares(c, class) }
	take(of.Class, of.Rank)
	for _, x := range of.Configured {
		take(x.Class, x.Rank)
	}
	if err := m.invited(take); err != nil {
		return 0, err
	}
	kept, err := readKept(m.disk, m.dir)
	if err != nil {
		return 0, err
	}
	for _, x := range kept {
		take(x.Class, x.Rank)
	}
	for rank := 0; ; rank++ {
		if !used[rank] {
			return rank, nil
		}
	}
}

// invited calls yield for each valid invitation, and removes the others.
func (m *Members) invited(yield func(class string, rank int)) error {
	dir := filepath.Join(m.dir, state.InvitesDir)
	disk.Clean(m.disk, dir)
	files, err := m.disk.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		if filepath.Ext(f.Name()) != inviteExt {
			continue
		}
		file := filepath.Join(dir, f.Name())
		inv, err := readInvitation(m.disk, file)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, state.ErrDamaged): // it was just used, or is invalid
		case err != nil:
			return err
		case time.Now().After(inv.Expires):
			m.disk.Remove(file)
		default:
			yield(inv.Class, inv.Rank)
		}
	}
	return nil
}

func readInvitation(d disk.FS, file string) (*invitation, error) {
	b, err := d.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var inv invitation
	return &inv, state.Unseal(file, b, &inv)
}

// Redeem admits a peer that proves an invitation. It returns nil for a peer that is a member already.
func (m *Members) Redeem(id wire.PeerID, hello *wire.Hello, now time.Time) (*runtime.PeerConfig, error) {
	if m.Has(id) {
		return nil, nil
	}
	m.changes.Lock()
	defer m.changes.Unlock()
	if m.Has(id) {
		return nil, nil
	}
	if len(hello.JoinProof) != proofSize || m.dir == "" {
		return nil, fmt.Errorf("peer %v: %w", id, ErrInvitation)
	}
	name := hex.EncodeToString(hello.JoinProof[:inviteSize])
	inv, err := readInvitation(m.disk, inviteFile(m.dir, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("peer %v: %w: it may have been used or have expired: ask for another one", id, ErrInvitation)
	case err != nil:
		return nil, fmt.Errorf("peer %v: %w", id, err)
	case !hmac.Equal(hello.JoinProof, proof(inv.Secret, m.self, id, inv.Class)):
		return nil, fmt.Errorf("peer %v: %w: the proof is wrong", id, ErrInvitation)
	case now.After(inv.Expires):
		return nil, fmt.Errorf("peer %v: %w: it expired at %v: ask for another one", id, ErrInvitation, inv.Expires.UTC().Format(time.DateTime))
	case !classes.Is(classes.Join(hello.Classes...), inv.Class):
		return nil, fmt.Errorf("peer %v: %w: it claims %q, the invitation is for a %s", id, runtime.ErrClass, hello.Classes, inv.Class)
	case slices.ContainsFunc(m.List(), func(x Member) bool { return x.Invite == name }):
		return nil, fmt.Errorf("peer %v: %w: it has been used: ask for another one", id, ErrInvitation)
	}
	x := Member{ID: id, Class: inv.Class, Rank: inv.Rank, Invite: name}
	if err := m.put(x); err != nil {
		return nil, err
	}
	m.disk.Remove(inviteFile(m.dir, name)) // if this fails, it still counts as used: the member names it
	joined := x.Config()
	return &joined, nil
}
