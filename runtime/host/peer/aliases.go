package peer

import (
	"crypto/ed25519"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/host/peer/status"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Package trust manages which peers may take part. The types are aliases for users: in [Options], in lists of
// peers and in servers.
type (
	// A Member is a peer that may take part, in the form of the files of -peers.
	Member = trust.Member

	// A Token is an invitation as its holder has it.
	Token = trust.Token

	// Guests is the allow-list of a server that is no peer of a program.
	Guests = trust.Guests
)

// ErrInvitation is returned for a joining peer without a valid invitation.
var ErrInvitation = trust.ErrInvitation

// NewKey writes a new key to a file that must not exist. Only its owner can read the file.
func NewKey(file string) (ed25519.PrivateKey, error) { return trust.NewKey(file) }

// ReadKey reads a key. It refuses a key that other users can read, as it proves nothing.
func ReadKey(file string) (ed25519.PrivateKey, error) { return trust.ReadKey(file) }

// LoadKey reads a key. If the file is missing, it makes the folder and the key.
func LoadKey(file string) (ed25519.PrivateKey, error) { return trust.LoadKey(file) }

// IDOf returns the peer id of a key.
func IDOf(key ed25519.PrivateKey) wire.PeerID { return trust.IDOf(key) }

// ParseToken parses a token.
func ParseToken(text string, lim *wire.Limits) (*Token, error) { return trust.ParseToken(text, lim) }

// ParseAddress parses an address in the form of libp2p, or as host:port.
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

// SumPictures returns the picture of a class, from those of its peers and their names: see [status.Sum].
func SumPictures(names []string, pictures []*Picture) *Picture { return status.Sum(names, pictures) }

// Package status defines the status of a peer. The types are aliases for programs that launch peers.
type (
	// A Line is one line of -events, for programs that launch peers.
	Line = status.Line

	// Status is the status of a peer.
	Status = status.Status

	// PeerStatus is the status of another peer as this one sees it.
	PeerStatus = status.PeerStatus

	// A Picture is a peer's part of the program, with what is under way.
	Picture = status.Picture

	// A Number is a number that a program reports.
	Number = status.Number
)

// Frames reads messages with a length prefix from a stream, for servers that are no peers. It is an alias for
// their use: Next appends the next message to a slice, SetIdle sets how long to wait for it, Fill and Skip read
// bytes that follow a message.
type Frames = conversation.Frames

// NewFrames reads a stream. Once a message has begun, its bytes must keep arriving within the time stall.
func NewFrames(s Stream, stall time.Duration) *Frames { return conversation.NewFrames(s, stall) }
