package psi

import (
	"crypto/ecdh"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// pointSize is the size of a point: its first coordinate.
const pointSize = 32

// Ids are the identifiers of a peer's rows, in their order, each once.
type Ids interface{ Ids() []string }

// secret is the number that a peer multiplies points with. Each execution has another one.
type secret struct {
	key [sha256.Size]byte
	in  runtime.Round
}

// open draws the secret.
func (s *secret) open(env runtime.Env) (err error) {
	s.key, err = env.Secret()
	return err
}

// Enter sets the execution to which the following calls belong.
func (s *secret) Enter(r runtime.Round) { s.in = r }

// Leave does nothing: the secret number of an execution follows from the secret.
func (s *secret) Leave(runtime.Round) {}

// number returns the secret number of the execution.
func (s *secret) number() *ecdh.PrivateKey {
	of, _ := s.in.AppendBinary(append([]byte("bbgen psi"), s.key[:]...))
	sum := sha256.Sum256(of)
	number, err := ecdh.X25519().NewPrivateKey(sum[:])
	if err != nil {
		panic("BUG: " + err.Error()) // the size is right
	}
	return number
}

// AppendBinary appends the secret.
func (s *secret) AppendBinary(b []byte) ([]byte, error) { return append(b, s.key[:]...), nil }

// UnmarshalBinary reads the output of AppendBinary.
func (s *secret) UnmarshalBinary(b []byte) error {
	if len(b) != len(s.key) {
		return fmt.Errorf("%d bytes, want %d", len(b), len(s.key))
	}
	copy(s.key[:], b)
	return nil
}

// times multiplies a point with a secret number.
func times(number *ecdh.PrivateKey, point []byte) ([pointSize]byte, error) {
	p, err := ecdh.X25519().NewPublicKey(point)
	if err != nil {
		return [pointSize]byte{}, err
	}
	out, err := number.ECDH(p)
	if err != nil {
		return [pointSize]byte{}, err
	}
	return [pointSize]byte(out), nil
}

// timesAll multiplies points that another peer has sent.
func timesAll(number *ecdh.PrivateKey, points []byte) ([][pointSize]byte, error) {
	if len(points)%pointSize != 0 {
		return nil, fmt.Errorf("%d bytes are no points of %d bytes", len(points), pointSize)
	}
	out := make([][pointSize]byte, 0, len(points)/pointSize)
	for p := range slices.Chunk(points, pointSize) {
		q, err := times(number, p)
		if err != nil {
			return nil, fmt.Errorf("point %d: %w", len(out), err)
		}
		out = append(out, q)
	}
	return out, nil
}

// pointsOf returns a point for each identifier, multiplied with a secret number.
func pointsOf(number *ecdh.PrivateKey, ids []string) ([][pointSize]byte, error) {
	out, rows := make([][pointSize]byte, len(ids)), make(map[string]int, len(ids))
	for i, id := range ids {
		if j, twice := rows[id]; twice {
			return nil, fmt.Errorf("rows %d and %d have the same identifier", j, i)
		}
		rows[id] = i
		var err error
		if out[i], err = pointOf(number, id); err != nil {
			return nil, fmt.Errorf("row %d: %w", i, err)
		}
	}
	return out, nil
}

var (
	prime = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
	slope = big.NewInt(486662) // of the curve v² = u³ + 486662 u² + u
)

// pointOf returns the point of an identifier, multiplied with a secret number: the first of a series of hashes that
// is a coordinate of the curve. Hashes that are not would reveal themselves, as their multiples are none, either.
func pointOf(number *ecdh.PrivateKey, id string) ([pointSize]byte, error) {
	for i := range uint32(256) {
		h := sha256.Sum256(append(binary.LittleEndian.AppendUint32([]byte("bbgen psi point"), i), id...))
		h[pointSize-1] &= 0x7f
		if !onCurve(h) {
			continue
		}
		if p, err := times(number, h[:]); err == nil { // no error but for the few points of a small order
			return p, nil
		}
	}
	return [pointSize]byte{}, errors.New("BUG: none of 256 hashes is on the curve")
}

// onCurve reports whether u³ + 486662 u² + u is a square.
func onCurve(point [pointSize]byte) bool {
	slices.Reverse(point[:])
	u := new(big.Int).SetBytes(point[:])
	if u.Cmp(prime) >= 0 {
		return false
	}
	v := new(big.Int).Add(u, slope)
	v.Mul(v, u).Add(v, big.NewInt(1)).Mul(v, u).Mod(v, prime)
	return big.Jacobi(v, prime) == 1
}

func bytesOf(points [][pointSize]byte) tensor.Dense[uint8] {
	b := make([]byte, 0, pointSize*len(points))
	for _, p := range points {
		b = append(b, p[:]...)
	}
	return tensor.DenseOf(b, len(b))
}

func rowsOf(rows []int64) tensor.Dense[int64] { return tensor.DenseOf(rows, len(rows)) }
