package secagg

import (
	"errors"
	"io"
)

// secretSize is the size of a secret in bytes, and mostShares the maximum number of its shares.
const (
	secretSize = 32
	mostShares = 255
)

// split makes n shares of a secret, of which any threshold number reconstructs it, and fewer reveal nothing: A.
// Shamir, "How to Share a Secret", 1979. Share i is the value at i+1 of polynomials over the field of 256
// elements, one for each byte. There are at most mostShares.
func split(secret [secretSize]byte, n, threshold int, random io.Reader) ([][secretSize]byte, error) {
	shares := make([][secretSize]byte, n)
	coefficients := make([]byte, threshold-1)
	for k, constant := range secret {
		if _, err := io.ReadFull(random, coefficients); err != nil {
			return nil, err
		}
		for i := range shares {
			y := byte(0)
			for _, c := range coefficients {
				y = product(y^c, byte(i+1))
			}
			shares[i][k] = y ^ constant
		}
	}
	return shares, nil
}

// share is a numbered share of a secret.
type share struct {
	number int
	value  [secretSize]byte
}

var (
	errFewShares  = errors.New("too few shares")
	errShareTwice = errors.New("two shares of one number, or one of no peer")
)

// reconstruct returns the secret of shares: the value at 0 of the polynomials through the first of them, which must be of
// different numbers.
func reconstruct(shares []share, threshold int) (secret [secretSize]byte, err error) {
	if len(shares) < threshold {
		return secret, errFewShares
	}
	shares = shares[:threshold]
	var given [mostShares]bool
	for _, s := range shares {
		if s.number < 0 || s.number >= mostShares || given[s.number] {
			return secret, errShareTwice
		}
		given[s.number] = true
	}
	for i, s := range shares {
		factor := byte(1) // Lagrange: the product of x/(x - own), in which subtraction is addition
		for j, other := range shares {
			if i != j {
				x, own := byte(other.number+1), byte(s.number+1)
				factor = product(factor, product(x, inverse(x^own)))
			}
		}
		for k := range secret {
			secret[k] ^= product(factor, s.value[k])
		}
	}
	return secret, nil
}

// product multiplies in the field of AES. It takes constant time.
func product(a, b byte) (p byte) {
	for range 8 {
		p ^= a & -(b & 1)
		a = a<<1 ^ 0x1b&-(a>>7)
		b >>= 1
	}
	return p
}

// inverse returns 1/a, which is a to the power of 254.
func inverse(a byte) byte {
	p := byte(1)
	for range 7 {
		a = product(a, a)
		p = product(p, a)
	}
	return p
}
