package dp

import (
	"crypto/sha256"
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/values"
)

// source is a source of noise with a secret key. The same state gives the same noise, so that a restored peer
// does not reveal a sum with two different noises.
type source struct {
	key   [sha256.Size]byte
	drawn uint64
}

func (s *source) open(env runtime.Env) (err error) {
	s.key, err = env.Secret()
	return err
}

// next returns a random source for one value.
func (s *source) next() *rand.Rand { return rand.New(rand.NewChaCha8(s.seed())) }

// seed returns the seed of the random numbers for one value.
func (s *source) seed() [sha256.Size]byte {
	b := values.AppendScalar(s.key[:], s.drawn)
	s.drawn++
	return sha256.Sum256(b)
}

// AppendBinary appends the key and the number of draws.
func (s *source) AppendBinary(b []byte) ([]byte, error) {
	return values.AppendScalar(append(b, s.key[:]...), s.drawn), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (s *source) UnmarshalBinary(b []byte) error {
	var read source
	f := values.NewFields(b)
	read.read(f)
	if err := f.End(); err != nil {
		return err
	}
	*s = read
	return nil
}

func (s *source) read(f *values.Fields) {
	copy(s.key[:], f.Bytes(len(s.key)))
	values.ReadScalar(f, &s.drawn)
}
