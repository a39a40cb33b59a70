package dp

import (
	"crypto/sha256"
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime"
)

// source is where noise comes from: a key that nobody else knows. Noise that is drawn
// again from the same state is the same, so that a peer that goes on from a snapshot does
// not show a sum with two noises.
type source struct {
	key   [sha256.Size]byte
	drawn uint64
}

func (s *source) open(env runtime.Env) (err error) {
	s.key, err = env.Secret()
	return err
}

// next is randomness for one value.
func (s *source) next() *rand.Rand {
	b := runtime.AppendScalar(s.key[:], s.drawn)
	s.drawn++
	return rand.New(rand.NewChaCha8(sha256.Sum256(b)))
}

// AppendBinary appends the key and how much was drawn.
func (s *source) AppendBinary(b []byte) ([]byte, error) {
	return runtime.AppendScalar(append(b, s.key[:]...), s.drawn), nil
}

// UnmarshalBinary sets what AppendBinary has written.
func (s *source) UnmarshalBinary(b []byte) error {
	var read source
	f := runtime.NewFields(b)
	read.read(f)
	if err := f.End(); err != nil {
		return err
	}
	*s = read
	return nil
}

func (s *source) read(f *runtime.Fields) {
	copy(s.key[:], f.Bytes(len(s.key)))
	runtime.ReadScalar(f, &s.drawn)
}
