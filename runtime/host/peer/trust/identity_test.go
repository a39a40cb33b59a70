package trust

import (
	"crypto/ed25519"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A signature is valid only for the peer that has signed.
func TestIdentity(t *testing.T) {
	made := func() identity {
		public, key, err := ed25519.GenerateKey(nil)
		if err != nil {
			t.Fatal(err)
		}
		self, err := wire.PeerIDOf(public)
		if err != nil {
			t.Fatal(err)
		}
		return identity{key, self}
	}
	a, b := made(), made()
	var _ runtime.Identity = a
	message := []byte("message")
	s := a.Sign(message)
	if !b.Verify(a.Self(), message, s) {
		t.Error("the signature is refused")
	}
	bent := slices.Clone(s)
	bent[3] ^= 1
	if b.Verify(b.Self(), message, s) || b.Verify(a.Self(), []byte("massage"), s) || b.Verify(a.Self(), message, bent) || b.Verify(a.Self(), message, nil) {
		t.Error("a signature of another peer, of another message or of none is accepted")
	}
	if ed25519.Verify(a.key.Public().(ed25519.PublicKey), message, s) {
		t.Error("a component's signature is one of the bare message")
	}
}
