package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/limits"
)

// ArgumentError is a mistake in the arguments of an invitation: the rank is invalid or the issuer's own, an address
// is invalid, or the time has passed.
type ArgumentError struct{ error }

// MakeToken writes an invitation into a state directory and returns its token.
func MakeToken(state, class string, rank int, expires time.Time, at []string) (*Token, error) {
	if left := time.Until(expires); left <= 0 {
		return nil, ArgumentError{fmt.Errorf("invite: the invitation would have expired %v ago, want one that is valid for a time above 0", (-left).Round(time.Second))}
	}
	if rank < -1 {
		return nil, ArgumentError{fmt.Errorf("invite: the rank is %d, want 0 or more, or -1 for the next free one", rank)}
	}
	self, err := ReadSelf(disk.OS, state)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the peer has not run on %s yet: %w", state, err)
	case errors.Is(err, syscall.ENOTDIR):
		return nil, fmt.Errorf("-state %s is a file, want the directory of a peer's state: %w", state, err)
	case err != nil:
		return nil, fmt.Errorf("%w: it is written anew when the peer starts", err)
	}
	limits := limits.Default()
	if len(at) > 0 {
		if self.Addresses, err = ParseAddresses(at, &limits.Wire); err != nil {
			return nil, ArgumentError{err}
		}
	}
	if len(self.Addresses) == 0 {
		return nil, errors.New("the peer does not listen: start it with -listen, or give an address at which it can be dialed with -address")
	}
	self.Addresses = self.Addresses[:min(len(self.Addresses), limits.Wire.Addresses)]
	m, err := NewMembers(self.ID, nil, disk.OS, state, &limits.Wire)
	if err != nil {
		return nil, err
	}
	inv, err := m.invite(self, class, rank, expires.Round(time.Second))
	if err != nil {
		return nil, err
	}
	return &Token{Issuer: self.Member, Class: class, Rank: inv.Rank, Expires: inv.Expires, Secret: inv.Secret}, nil
}
