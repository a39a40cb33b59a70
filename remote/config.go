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

// The environment variables for empty fields of a [Config].
const (
	AddressVariable = "BBGEN_REMOTE_ADDRESS" // an address, or an invitation
	KeyVariable     = "BBGEN_REMOTE_KEY"     // a file
)

// Config selects a server and the client's key.
type Config struct {
	// Address is where the server can be dialed, with its peer id, as the server prints it:
	// /ip4/192.0.2.1/tcp/7070/p2p/12D3KooW…; or an invitation, which contains that; or a name that was set by
	// [Name]. "" is the value of BBGEN_REMOTE_ADDRESS.
	Address string

	// Key is the client's key. Nil is the key in the file of BBGEN_REMOTE_KEY, or else in bbgen/remote.pem of
	// the user's configuration folder, where one is created.
	Key ed25519.PrivateKey

	// Device is which of the server's devices, from 0; [Properties] has their number. Each has its part of the
	// memory.
	Device int

	// Patience is how long a broken connection is dialed again before the session ends; 0 is 8 seconds.
	Patience time.Duration

	Log *slog.Logger // nil: no log
}

// target is the server to dial.
type target struct {
	id    wire.PeerID
	at    []wire.Address
	token *peer.Token // nil: the server has admitted the client
}

// complete completes the configuration from the environment.
func (c *Config) complete() (*target, error) {
	if c.Device < 0 {
		return nil, fmt.Errorf("Config.Device is %d, want 0 or more", c.Device)
	}
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

// key returns the user's key.
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
