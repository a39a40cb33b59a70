package peer

import (
	"crypto/hmac"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// invitation is what the issuer keeps of a token until somebody uses it.
type invitation struct {
	Class   string    `json:"class"`
	Rank    int       `json:"rank"`
	Expires time.Time `json:"expires"`
	Secret  []byte    `json:"secret"`
}

func inviteFile(dir, name string) string { return filepath.Join(dir, invitesDir, name+".json") }

// invite writes an invitation down. The peer that runs on the state directory
// sees it when somebody comes with it.
func (m *members) invite(class string, rank int, expires time.Time) (*invitation, error) {
	if rank < 0 {
		var err error
		if rank, err = m.freeRank(class); err != nil {
			return nil, err
		}
	}
	inv := &invitation{class, rank, expires, newSecret()}
	b, err := json.Marshal(inv)
	if err != nil {
		return nil, err
	}
	return inv, writeFile(inviteFile(m.dir, inviteName(inv.Secret)), b)
}

// freeRank is the first rank of a class that no member and no invitation has.
func (m *members) freeRank(class string) (int, error) {
	used := map[int]bool{}
	for _, x := range m.list {
		used[x.Rank] = used[x.Rank] || runtime.SharesClass(x.Class, class)
	}
	files, err := os.ReadDir(filepath.Join(m.dir, invitesDir))
	if err != nil {
		return 0, err
	}
	for _, f := range files {
		file := filepath.Join(m.dir, invitesDir, f.Name())
		inv, err := readInvitation(file)
		switch {
		case err != nil:
		case time.Now().After(inv.Expires):
			os.Remove(file)
		case runtime.SharesClass(inv.Class, class):
			used[inv.Rank] = true
		}
	}
	for rank := 0; ; rank++ {
		if !used[rank] {
			return rank, nil
		}
	}
}

func readInvitation(file string) (*invitation, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var inv invitation
	if err := json.Unmarshal(b, &inv); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &inv, nil
}

// joined is a peer that an invitation has let in.
type joined struct{ runtime.PeerConfig }

// redeem takes in a peer that proves an invitation. It returns nothing for one
// that is a member already. It may be called by several goroutines.
func (m *members) redeem(id wire.PeerID, hello *wire.Hello, now time.Time) (*joined, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if x := m.find(id); x != nil {
		return nil, nil
	}
	if len(hello.JoinProof) != proofSize || m.dir == "" {
		return nil, fmt.Errorf("peer %v: %w", id, ErrInvitation)
	}
	name := hex.EncodeToString(hello.JoinProof[:inviteSize])
	inv, err := readInvitation(inviteFile(m.dir, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("peer %v: %w: it may have been used: ask for another one", id, ErrInvitation)
	case err != nil:
		return nil, fmt.Errorf("peer %v: %w", id, err)
	case !hmac.Equal(hello.JoinProof, proof(inv.Secret, m.self, id, inv.Class)):
		return nil, fmt.Errorf("peer %v: %w: the proof is wrong", id, ErrInvitation)
	case now.After(inv.Expires):
		return nil, fmt.Errorf("peer %v: %w: it expired at %v: ask for another one", id, ErrInvitation, inv.Expires.UTC().Format(time.DateTime))
	case !runtime.IsClass(runtime.ClassOf(hello.Classes...), inv.Class):
		return nil, fmt.Errorf("peer %v: %w: it claims %q, the invitation is for a %s", id, runtime.ErrClass, hello.Classes, inv.Class)
	case slices.ContainsFunc(m.list, func(x Member) bool { return x.Invite == name }):
		return nil, fmt.Errorf("peer %v: %w: it has been used: ask for another one", id, ErrInvitation)
	}
	x := Member{ID: id, Class: inv.Class, Rank: inv.Rank, Invite: name}
	if err := m.add(x); err != nil {
		return nil, err
	}
	os.Remove(inviteFile(m.dir, name)) // or else it is used all the same: the member names it
	return &joined{x.config()}, nil
}
