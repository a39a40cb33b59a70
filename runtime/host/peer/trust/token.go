package trust

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime/wire"
)

// A Token is an invitation as its holder has it: the issuer, the class and rank of the joining peer, and the
// secret that proves the invitation. It can be used once.
type Token struct {
	Issuer  Member    `json:"issuer"`
	Class   string    `json:"class"` // of the joining peer
	Rank    int       `json:"rank"`
	Expires time.Time `json:"expires"`
	Secret  []byte    `json:"secret"`
}

const (
	tokenPrefix = "bbgen-join-"
	maxToken    = 8 << 10
	secretSize  = 16
	inviteSize  = 8 // of the name of an invitation, the beginning of its secret's hash
	proofSize   = inviteSize + sha256.Size
)

// ErrInvitation is returned for a joining peer without a valid invitation.
var ErrInvitation = errors.New("no such invitation")

func newSecret() []byte {
	b := make([]byte, secretSize)
	rand.Read(b)
	return b
}

// String returns the text of the token that is passed to its holder.
func (t *Token) String() string {
	b, err := json.Marshal(t)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return tokenPrefix + base64.RawURLEncoding.EncodeToString(b)
}

var errToken = errors.New("the invitation is damaged: copy all of it, or ask for another one")

// ParseToken parses a token.
func ParseToken(text string, lim *wire.Limits) (*Token, error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), tokenPrefix)
	if !ok || len(text) > maxToken {
		return nil, errors.New("not an invitation")
	}
	b, err := base64.RawURLEncoding.DecodeString(rest)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errToken, err)
	}
	var t Token
	if err := json.Unmarshal(b, &t); err != nil {
		return nil, fmt.Errorf("%w: %w", errToken, err)
	}
	switch {
	case len(t.Secret) != secretSize:
		return nil, fmt.Errorf("%w: a secret of %d bytes, want %d", errToken, len(t.Secret), secretSize)
	case t.Class == "" || t.Rank < 0:
		return nil, fmt.Errorf("%w: it does not say as what", errToken)
	case len(t.Issuer.Addresses) == 0:
		return nil, errors.New("the invitation names no address")
	case len(t.Issuer.Addresses) > lim.Addresses:
		return nil, fmt.Errorf("the invitation names %d addresses, the limit is %d", len(t.Issuer.Addresses), lim.Addresses)
	}
	if err := t.Issuer.Check(lim); err != nil {
		return nil, fmt.Errorf("%w: %w", errToken, err)
	}
	return &t, nil
}

// IsToken reports whether a text has the form of a token.
func IsToken(text string) bool { return strings.HasPrefix(text, tokenPrefix) }

// Proof returns a proof for the issuer that the joining peer holds the invitation.
func (t *Token) Proof(joiner wire.PeerID) []byte {
	return proof(t.Secret, t.Issuer.ID, joiner, t.Class)
}

// inviteName returns the name of an invitation, which does not reveal its secret.
func inviteName(secret []byte) string {
	sum := sha256.Sum256(secret)
	return hex.EncodeToString(sum[:inviteSize])
}

// proof returns a proof that the joining peer holds the secret. It is bound to both keys, which the channel has
// proven: no other peer can use it, and not with another issuer.
func proof(secret []byte, issuer, joiner wire.PeerID, class string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("bbgen join 1\x00"))
	a, b := issuer.Key(), joiner.Key()
	mac.Write(a[:])
	mac.Write(b[:])
	mac.Write([]byte(class))
	sum := sha256.Sum256(secret)
	return mac.Sum(sum[:inviteSize:inviteSize])
}
