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

// Token is an invitation as its holder sees it: whom to join, as what, and the
// secret that proves that one was asked. It can be used once.
type Token struct {
	Issuer  Member    `json:"issuer"`
	Class   string    `json:"class"` // what the joiner will be
	Rank    int       `json:"rank"`
	Expires time.Time `json:"expires"`
	Secret  []byte    `json:"secret"`
}

const (
	tokenPrefix = "bbgen-join-"
	maxToken    = 8 << 10
	secretSize  = 16
	inviteSize  = 8 // of the name of an invitation, the start of its secret's hash
	proofSize   = inviteSize + sha256.Size
)

// ErrInvitation is why a peer that wants to join is refused.
var ErrInvitation = errors.New("no such invitation")

func newSecret() []byte {
	b := make([]byte, secretSize)
	rand.Read(b)
	return b
}

// String is the token as it is handed over.
func (t *Token) String() string {
	b, err := json.Marshal(t)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return tokenPrefix + base64.RawURLEncoding.EncodeToString(b)
}

// ParseToken reads a token.
func ParseToken(text string, lim *wire.Limits) (*Token, error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), tokenPrefix)
	if !ok || len(text) > maxToken {
		return nil, errors.New("not an invitation")
	}
	b, err := base64.RawURLEncoding.DecodeString(rest)
	if err != nil {
		return nil, fmt.Errorf("the invitation is damaged: %w", err)
	}
	var t Token
	if err := json.Unmarshal(b, &t); err != nil {
		return nil, fmt.Errorf("the invitation is damaged: %w", err)
	}
	switch {
	case len(t.Secret) != secretSize:
		return nil, fmt.Errorf("the invitation is damaged: a secret of %d bytes, want %d", len(t.Secret), secretSize)
	case t.Class == "" || t.Rank < 0:
		return nil, errors.New("the invitation is damaged: it does not say as what")
	case len(t.Issuer.Addresses) == 0:
		return nil, errors.New("the invitation names no address")
	case len(t.Issuer.Addresses) > lim.Addresses:
		return nil, fmt.Errorf("the invitation names %d addresses, the limit is %d", len(t.Issuer.Addresses), lim.Addresses)
	}
	if err := t.Issuer.Check(lim); err != nil {
		return nil, fmt.Errorf("the invitation is damaged: %w", err)
	}
	return &t, nil
}

// IsToken reports whether a text is meant to be a token.
func IsToken(text string) bool { return strings.HasPrefix(text, tokenPrefix) }

// Proof shows an issuer that a joiner holds the invitation.
func (t *Token) Proof(joiner wire.PeerID) []byte {
	return proof(t.Secret, t.Issuer.ID, joiner, t.Class)
}

// inviteName is what an invitation is called, which tells nothing of its secret.
func inviteName(secret []byte) string {
	sum := sha256.Sum256(secret)
	return hex.EncodeToString(sum[:inviteSize])
}

// proof shows that the joiner holds the secret. It is bound to both keys, which
// the channel has proven: nobody else can use it, nor against another issuer.
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
