package trust

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A Member is a peer that may take part, in the form of the files of -peers and the state directory.
type Member struct {
	ID        wire.PeerID    `json:"id"`
	Class     string         `json:"class"`
	Rank      int            `json:"rank"`
	Addresses []wire.Address `json:"addresses,omitempty"`
	Invite    string         `json:"invite,omitempty"` // the invitation that admitted it

	// Issuer marks a peer that has admitted this one: its introductions are accepted.
	Issuer bool        `json:"issuer,omitempty"`
	By     wire.PeerID `json:"introduced_by,omitzero"` // the issuer that has introduced it
}

// Config returns what a Node has to know of the member.
func (m *Member) Config() runtime.PeerConfig {
	return runtime.PeerConfig{ID: m.ID, Class: m.Class, Rank: m.Rank, Addresses: m.Addresses, Near: isNear(m.Addresses)}
}

// named returns an error unless a member has an id, a class and a rank.
func (m *Member) named() error {
	switch {
	case m.ID.IsZero():
		return errors.New("a peer without id")
	case m.Class == "":
		return fmt.Errorf("peer %v has no class", m.ID)
	case m.Rank < 0:
		return fmt.Errorf("peer %v has rank %d, want 0 or more", m.ID, m.Rank)
	}
	return nil
}

// Check returns an error if a member from a file is invalid.
func (m *Member) Check(lim *wire.Limits) error {
	if err := m.named(); err != nil {
		return err
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

// Members is the allow-list: all other peers are refused. Peers that joined by an invitation, and the issuers
// of invitations that this peer used, are stored in the state directory. It is safe for concurrent use.
//
// The list is replaced as a whole, so that readers never wait for the disk.
type Members struct {
	self  wire.PeerID
	disk  disk.FS
	dir   string // the state directory; "": nothing is stored, and no peer can be invited
	fixed int    // how many of the list come from the configuration, and are not stored
	kept  atomic.Pointer[[]Member]

	changes sync.Mutex // held while a change is written
}

// NewMembers returns the peers of the configuration, followed by those of the state directory.
func NewMembers(self wire.PeerID, configured []Member, d disk.FS, dir string, lim *wire.Limits) (*Members, error) {
	m := &Members{self: self, disk: d, dir: dir}
	list, err := m.with(nil, configured, lim)
	if err != nil {
		return nil, err
	}
	m.fixed = len(list)
	if dir != "" {
		var kept []Member
		if kept, err = readKept(d, dir); err == nil {
			list, err = m.with(list, kept, lim)
		}
	}
	m.kept.Store(&list)
	return m, err
}

// KeepNothing disables the recording of changes, for read-only use.
func (m *Members) KeepNothing() { m.dir = "" }

// with appends the peers of more that are not in list.
func (m *Members) with(list, more []Member, lim *wire.Limits) ([]Member, error) {
	known := map[wire.PeerID]bool{m.self: true}
	for i := range list {
		known[list[i].ID] = true
	}
	for _, x := range more {
		if err := x.readAddresses(lim); err != nil {
			return nil, err
		}
		if err := x.Check(lim); err != nil {
			return nil, err
		}
		if !known[x.ID] {
			known[x.ID] = true
			list = append(list, x)
		}
	}
	return list, nil
}

// readAddresses parses the addresses, which may have the forms of -listen, such as host:port.
func (x *Member) readAddresses(lim *wire.Limits) error {
	x.Addresses = slices.Clone(x.Addresses)
	for i, a := range x.Addresses {
		if strings.HasPrefix(string(a), "/") {
			continue
		}
		full, err := ParseAddress(string(a), lim)
		if err != nil {
			return fmt.Errorf("peer %v: %w", x.ID, err)
		}
		x.Addresses[i] = full
	}
	return nil
}

// readKept reads the members of a state directory. A list that was edited by hand has no checksum.
func readKept(d disk.FS, dir string) (list []Member, err error) {
	file := filepath.Join(dir, state.MembersFile)
	b, err := d.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case bytes.HasPrefix(bytes.TrimSpace(b), []byte("[")):
		return parseMembers(file, b)
	}
	if err := state.Unseal(file, b, &list); err != nil {
		return nil, fmt.Errorf("%w: put a backup in its place, or move it away and invite the peers again", err)
	}
	return list, nil
}

// ReadMembers reads a file of -peers.
func ReadMembers(file string) ([]Member, error) {
	b, err := readSome(file, maxList)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseMembers(file, b)
}

func parseMembers(file string, b []byte) ([]Member, error) {
	var list []Member
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, fmt.Errorf("%s: want a list of peers, each with id, class, rank and addresses: %w", file, state.JSONError(err))
	}
	for i := range list {
		if err := list[i].named(); err != nil {
			return nil, fmt.Errorf("%s: entry %d: %w", file, i+1, err)
		}
	}
	return list, nil
}

// List returns the members. The list must not be changed.
func (m *Members) List() []Member { return *m.kept.Load() }

// Find returns the element of list for a peer, or nil if the peer is not in it. It points into the list.
func Find(list []Member, id wire.PeerID) *Member {
	for i := range list {
		if list[i].ID == id {
			return &list[i]
		}
	}
	return nil
}

// Has reports whether a peer is a member.
func (m *Members) Has(id wire.PeerID) bool { return Find(m.List(), id) != nil }

// Add adds a member, and records it if there is a state directory. If that fails, it is not added.
func (m *Members) Add(x Member) error {
	m.changes.Lock()
	defer m.changes.Unlock()
	return m.put(x)
}

// put is Add for a caller that holds the lock of changes.
func (m *Members) put(x Member) error {
	list := slices.Clone(m.List())
	switch old := Find(list, x.ID); {
	case old == nil:
		list = append(list, x)
	case reflect.DeepEqual(*old, x): // there is nothing to write, for which there may be no room
		return nil
	default:
		*old = x
	}
	if m.dir != "" {
		b, err := state.Seal(list[m.fixed:])
		if err != nil {
			return err
		}
		if err := disk.Write(m.disk, filepath.Join(m.dir, state.MembersFile), 0o600, b); err != nil {
			return err
		}
	}
	m.kept.Store(&list)
	return nil
}

// Configs returns what a new Node has to know of all members, in the order of the list.
func (m *Members) Configs() []runtime.PeerConfig {
	var list []runtime.PeerConfig
	for _, x := range m.List() {
		list = append(list, x.Config())
	}
	return list
}
