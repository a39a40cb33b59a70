package peer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Member is a peer that may take part, as the files of -peers and the state
// directory have it.
type Member struct {
	ID        wire.PeerID    `json:"id"`
	Class     string         `json:"class"`
	Rank      int            `json:"rank"`
	Addresses []wire.Address `json:"addresses,omitempty"`
	Invite    string         `json:"invite,omitempty"` // the invitation that it came by
}

func (m *Member) config() runtime.PeerConfig {
	return runtime.PeerConfig{ID: m.ID, Class: m.Class, Rank: m.Rank, Addresses: m.Addresses}
}

// check finds what is wrong with a member that somebody wrote down.
func (m *Member) check(lim *wire.Limits) error {
	switch {
	case m.ID.IsZero():
		return errors.New("a peer without id")
	case m.Class == "":
		return fmt.Errorf("peer %v has no class", m.ID)
	case m.Rank < 0:
		return fmt.Errorf("peer %v has rank %d", m.ID, m.Rank)
	}
	for _, a := range m.Addresses {
		if _, err := wire.ParseAddress(a, lim); err != nil {
			return fmt.Errorf("peer %v: %w", m.ID, err)
		}
		if id, ok := a.Peer(); ok && id != m.ID {
			return fmt.Errorf("peer %v: its address %s is another peer's", m.ID, a)
		}
	}
	return nil
}

// members is the allow-list: who is not in it is refused. Those that came by an
// invitation, and the issuers of invitations that this peer took, are kept in the
// state directory.
type members struct {
	mu    sync.Mutex
	self  wire.PeerID
	dir   string // the state directory; "": nothing is kept, and nobody can be invited
	list  []Member
	fixed int // how many of the list stand in the configuration, which are not written
}

// newMembers puts the peers of the configuration before those of the state
// directory.
func newMembers(self wire.PeerID, configured []Member, dir string, lim *wire.Limits) (*members, error) {
	m := &members{self: self, dir: dir}
	add := func(list []Member) error {
		for _, x := range list {
			if err := x.check(lim); err != nil {
				return err
			}
			if x.ID != self && m.find(x.ID) == nil {
				m.list = append(m.list, x)
			}
		}
		return nil
	}
	if err := add(configured); err != nil {
		return nil, err
	}
	m.fixed = len(m.list)
	if dir == "" {
		return m, nil
	}
	kept, err := readMembers(filepath.Join(dir, membersFile))
	if err == nil {
		err = add(kept)
	}
	return m, err
}

func readMembers(file string) ([]Member, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Member
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, fmt.Errorf("%s: want a list of peers, each with id, class, rank and addresses: %w", file, inWords(err))
	}
	return list, nil
}

func (m *members) find(id wire.PeerID) *Member {
	if i := slices.IndexFunc(m.list, func(x Member) bool { return x.ID == id }); i >= 0 {
		return &m.list[i]
	}
	return nil
}

// has reports whether a peer is a member. It may be called by several goroutines.
func (m *members) has(id wire.PeerID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.find(id) != nil
}

// add takes a member in, and writes it down if there is a place. One that cannot be
// written down is none.
func (m *members) add(x Member) error {
	list := slices.Clone(m.list)
	if i := slices.IndexFunc(list, func(old Member) bool { return old.ID == x.ID }); i >= 0 {
		list[i] = x
	} else {
		list = append(list, x)
	}
	if m.dir != "" {
		b, err := json.MarshalIndent(list[m.fixed:], "", "\t")
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(m.dir, membersFile), append(b, '\n')); err != nil {
			return err
		}
	}
	m.list = list
	return nil
}

func (m *members) configs() []runtime.PeerConfig {
	var list []runtime.PeerConfig
	for i := range m.list {
		list = append(list, m.list[i].config())
	}
	return list
}
