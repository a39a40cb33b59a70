package secagg

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// secrets are the secrets of a peer for one round.
type secrets struct {
	masks   [secretSize]byte  // of maskKey
	maskKey *ecdh.PrivateKey  // for the masks that it shares with others
	own     [secretSize]byte  // the key of its own mask
	shares  [sha256.Size]byte // the seed of shares
}

// secretsOf derives the secrets from a key.
func secretsOf(key [sha256.Size]byte) (*secrets, error) {
	s := &secrets{masks: derived(key[:], "masks"), own: derived(key[:], "own mask"), shares: derived(key[:], "shares")}
	var err error
	s.maskKey, err = ecdh.X25519().NewPrivateKey(s.masks[:])
	return s, err
}

// derived derives a key for a purpose.
func derived(key []byte, purpose string) [sha256.Size]byte { return expanded(extracted(key), purpose) }

// extracted is the first half of derived.
func extracted(key []byte) []byte {
	b, err := hkdf.Extract(sha256.New, key, nil)
	if err != nil {
		panic("BUG: " + err.Error()) // the hash is allowed
	}
	return b
}

// expanded is the second half of derived.
func expanded(key []byte, purpose string) (out [sha256.Size]byte) {
	b, err := hkdf.Expand(sha256.New, key, "bbgen secagg "+purpose, len(out))
	if err != nil {
		panic("BUG: " + err.Error()) // the size is right
	}
	copy(out[:], b)
	return out
}

// publicKeys is the first message of a peer: its public keys, and a hash of the key of its own mask, so that no
// other key can be substituted.
type publicKeys struct {
	messages, masks *ecdh.PublicKey
	own             [sha256.Size]byte
}

const publicKeysSize = 3 * 32

// lasting reports whether the peer has the same key for messages in all rounds.
func (o *publicKeys) lasting() bool { return isLasting(o.messages.Bytes()) }

// publicKeys returns the peer's encoded public keys of the round.
func (s *session) publicKeys() []byte {
	own := hash(s.secrets.own[:])
	return slices.Concat(s.pairs.public[:], s.secrets.maskKey.PublicKey().Bytes(), own[:])
}

// readPublicKeys reads a peer's public keys, without the signature.
func readPublicKeys(b []byte) (o publicKeys, err error) {
	if len(b) < publicKeysSize {
		return o, errors.New("its keys end early")
	}
	if o.messages, err = ecdh.X25519().NewPublicKey(b[:32]); err != nil {
		return o, err
	}
	if o.masks, err = ecdh.X25519().NewPublicKey(b[32:64]); err != nil {
		return o, err
	}
	copy(o.own[:], b[64:])
	return o, nil
}

// smallOrder are the points of small order, with which no secret can be shared: 0, 1, two of order 8, p-1, p and p+1.
var smallOrder = [...][32]byte{
	{},
	{1},
	{0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4, 0x6a, 0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00},
	{0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83, 0xef, 0x5b, 0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c, 0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f, 0x11, 0x57},
	{0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
	{0xed, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
	{0xee, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
}

// usable returns an error if no secret can be shared with a key: it is a point of low order.
func (o *publicKeys) usable() error {
	for _, key := range []*ecdh.PublicKey{o.messages, o.masks} {
		b := [32]byte(key.Bytes())
		b[31] &^= lastingBit
		if slices.Contains(smallOrder[:], b) {
			return errors.New("a public key is a point of low order")
		}
	}
	return nil
}

// separated returns the bytes that are signed or authenticated in a round, with their purpose and execution as
// prefix (domain separation), so that they are not valid in another execution.
func separated(r runtime.Round, what string, parts ...[]byte) []byte {
	b := []byte("secagg " + what + "\n")
	key := r.Exec.Origin.Key()
	b = append(b, key[:]...)
	b = binary.LittleEndian.AppendUint64(b, r.Exec.Incarnation)
	b = binary.LittleEndian.AppendUint64(b, r.Exec.Number)
	for _, p := range parts {
		h := sha256.Sum256(p)
		b = append(b, h[:]...)
	}
	return b
}

// sealer returns the cipher for a message between this peer and another one with public keys. Its key is used once: it is
// bound to the list of the round, unless one of the two has a new key in each round.
func (s *session) sealer(other wire.PeerID, o *publicKeys, from, to wire.PeerID) (cipher.AEAD, error) {
	var round []byte
	if o.lasting() && s.pairs.lasting() {
		round = separated(s.of, "shares", s.roster)
	}
	key, err := s.pairs.key(other, o, "letter", from, to, round)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// maskOf returns the key of the mask of two peers, from the private key of one.
func maskOf(own *ecdh.PrivateKey, other *ecdh.PublicKey) (key [sha256.Size]byte, err error) {
	secret, err := own.ECDH(other)
	if err != nil {
		return key, err
	}
	return derived(secret, "mask"), nil
}

// signOf returns the sign of one peer's mask with another: one adds it and the other subtracts it.
func signOf(self, other wire.PeerID) int32 { return int32(self.Compare(other)) }

// putKey writes the key of a peer as eight numbers.
func putKey(dst []int32, p wire.PeerID) {
	key := p.Key()
	for i := range 8 {
		dst[i] = int32(binary.LittleEndian.Uint32(key[4*i:]))
	}
}

// readKey reads the output of putKey.
func readKey(x []int32) wire.PeerID {
	var key []byte
	for _, v := range x[:8] {
		key = binary.LittleEndian.AppendUint32(key, uint32(v))
	}
	p, _ := wire.PeerIDOf(key)
	return p
}
