package trust

import (
	"crypto/ed25519"
	"time"

	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Guests is the allow-list of a server that is no peer of a program. It is stored in a state directory like a
// peer's, with the server's key and its invitations. It is safe for concurrent use.
type Guests struct {
	dir     string
	state   *state.Dir
	key     ed25519.PrivateKey
	members *Members
}

// OpenGuests opens a state directory for the one process that may use it, and creates missing files.
func OpenGuests(dir string) (*Guests, error) {
	s, err := state.Open(disk.OS, dir)
	if err != nil {
		return nil, err
	}
	g := &Guests{dir: dir, state: s}
	limits := wire.Default()
	if g.key, err = ReadOrMakeKey(s.Path(state.KeyFile)); err == nil {
		g.members, err = NewMembers(IDOf(g.key), nil, disk.OS, dir, &limits)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return g, nil
}

// Key returns the server's key.
func (g *Guests) Key() ed25519.PrivateKey { return g.key }

// Listens records where the server can be dialed, for invitations. The class is the server's name in [Invite].
func (g *Guests) Listens(class string, at []wire.Address) error {
	return WriteSelf(disk.OS, g.dir, &Self{Member: Member{ID: IDOf(g.key), Class: class, Addresses: at}})
}

// Has reports whether a client is admitted.
func (g *Guests) Has(id wire.PeerID) bool { return g.members.Has(id) }

// Add admits a client.
func (g *Guests) Add(id wire.PeerID, class string) error {
	return g.members.Add(Member{ID: id, Class: class})
}

// Redeem admits a client whose Hello proves an invitation. An admitted client needs none.
func (g *Guests) Redeem(id wire.PeerID, hello *wire.Hello) error {
	_, err := g.members.Redeem(id, hello, time.Now())
	return err
}

// Close releases the directory for other processes.
func (g *Guests) Close() error { return g.state.Close() }

// Invite writes an invitation into the state directory of a server, which may be running. At lists the
// addresses at which it can be dialed; if empty, those at which it listens.
func Invite(dir, class string, valid time.Duration, at []string) (*Token, error) {
	return MakeToken(dir, classes.Join(class), -1, time.Now().Add(valid), at)
}
