package remote

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// The environment variables that say what a [Config] does not.
const (
	AddressVariable = "BBGEN_REMOTE_ADDRESS" // an address, or an invitation
	KeyVariable     = "BBGEN_REMOTE_KEY"     // a file
)

// Config says which server is used, and by whom.
type Config struct {
	// Address is where the server can be dialled, with its peer id, as it prints it:
	// /ip4/192.0.2.1/tcp/7070/p2p/12D3KooW…; or an invitation, which names that; or a
	// name that [Name] knows. "" is what BBGEN_REMOTE_ADDRESS says.
	Address string

	// Key is who the client is. Nil is the key in the file of BBGEN_REMOTE_KEY, or else
	// in bbgen/remote.pem of the user's folder for settings, where one is made.
	Key ed25519.PrivateKey

	// Patience is how long a broken connection is dialled again before the session is
	// given up; 0 is 8 seconds.
	Patience time.Duration

	Log *slog.Logger // nil: nobody listens
}

// target is whom to dial.
type target struct {
	id    wire.PeerID
	at    []wire.Address
	token *peer.Token // nil: the server knows the client
}

// complete fills in what the environment says.
func (c *Config) complete() (*target, error) {
	if c.Patience == 0 {
		c.Patience = 8 * time.Second
	}
	if c.Log == nil {
		c.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	t, err := c.target()
	if err != nil || c.Key != nil {
		return t, err
	}
	c.Key, err = key()
	return t, err
}

func (c *Config) target() (*target, error) {
	text, from := c.Address, "Config.Address"
	if text == "" {
		text, from = os.Getenv(AddressVariable), AddressVariable
	}
	if text == "" {
		return nil, fmt.Errorf("no server: set Config.Address, or %s, to what \"bbgen remote serve\" prints", AddressVariable)
	}
	t, err := parse(resolve(strings.TrimSpace(text)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	return t, nil
}

func parse(text string) (*target, error) {
	limits := wire.Default()
	if strings.HasPrefix(text, "bbgen-join-") {
		token, err := peer.ParseToken(text, &limits)
		if err != nil {
			return nil, err
		}
		return &target{token.Issuer.ID, token.Issuer.Addresses, token}, nil
	}
	a, err := peer.ParseAddress(text)
	if err != nil {
		return nil, err
	}
	id, ok := a.Peer()
	if !ok {
		return nil, fmt.Errorf("%q does not say which server is there: want /ip4/…/tcp/…/p2p/ID, as the server prints it", text)
	}
	return &target{id, []wire.Address{a}, nil}, nil
}

// key is the user's key.
func key() (ed25519.PrivateKey, error) {
	file := os.Getenv(KeyVariable)
	if file == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return nil, errors.Join(fmt.Errorf("no place for a key: set Config.Key or %s", KeyVariable), err)
		}
		file = filepath.Join(dir, "bbgen", "remote.pem")
	}
	return peer.LoadKey(file)
}
