package peer

import (
	"crypto/ed25519"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// What a peer knows of who may take part is the business of package trust. The types are
// aliases, as users write their names: in [Options], in lists of peers and in servers.
type (
	// Member is a peer that may take part, as the files of -peers have it.
	Member = trust.Member

	// Token is an invitation as its holder sees it.
	Token = trust.Token

	// Guests is the allow-list of a server that is no peer of a program.
	Guests = trust.Guests
)

// ErrInvitation is why a peer that wants to join is refused.
var ErrInvitation = trust.ErrInvitation

// NewKey writes a new key to a file that must not exist, readable by its owner alone.
func NewKey(file string) (ed25519.PrivateKey, error) { return trust.NewKey(file) }

// ReadKey reads a key. One that others can read is refused: it proves nothing.
func ReadKey(file string) (ed25519.PrivateKey, error) { return trust.ReadKey(file) }

// LoadKey reads a key, or makes one in a folder that is made, too, if the file is not there.
func LoadKey(file string) (ed25519.PrivateKey, error) { return trust.LoadKey(file) }

// IDOf returns the peer id of a key.
func IDOf(key ed25519.PrivateKey) wire.PeerID { return trust.IDOf(key) }

// ParseToken reads a token.
func ParseToken(text string, lim *wire.Limits) (*Token, error) { return trust.ParseToken(text, lim) }

// ParseAddress reads an address as libp2p writes it, or as host:port.
func ParseAddress(text string) (wire.Address, error) {
	limits := wire.Default()
	return trust.ParseAddress(text, &limits)
}

// OpenGuests opens a server's state directory, see [trust.OpenGuests].
func OpenGuests(dir string) (*Guests, error) { return trust.OpenGuests(dir) }

// Invite writes an invitation into the state directory of a server, see [trust.Invite].
func Invite(dir, class string, valid time.Duration, at []string) (*Token, error) {
	return trust.Invite(dir, class, valid, at)
}
