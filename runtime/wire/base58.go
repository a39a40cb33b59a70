package wire

import "fmt"

const base58Digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// base58Values is the inverse of base58Digits; 255 is not a digit.
var base58Values = func() (t [256]byte) {
	for i := range t {
		t[i] = 255
	}
	for i, c := range base58Digits {
		t[c] = byte(i)
	}
	return t
}()

// appendBase58 appends src as a number in base 58, most significant digit first, with a digit 1 for each
// leading zero byte.
//
// NB: quadratic in len(src), which is small: that of a peer id.
func appendBase58(dst, src []byte) []byte {
	var digits [2 * maxMultihash]byte // least significant first; a byte makes fewer than two digits
	n := 0
	for _, c := range src {
		carry := int(c)
		for i := range n {
			carry += int(digits[i]) << 8
			digits[i] = byte(carry % 58)
			carry /= 58
		}
		for ; carry > 0; n++ {
			digits[n] = byte(carry % 58)
			carry /= 58
		}
	}
	for i := 0; i < len(src) && src[i] == 0; i++ {
		dst = append(dst, base58Digits[0])
	}
	for i := n - 1; i >= 0; i-- {
		dst = append(dst, base58Digits[digits[i]])
	}
	return dst
}

// decodeBase58 decodes the output of [appendBase58] into dst, which must have the right length.
func decodeBase58(dst []byte, text string) error {
	clear(dst)
	n := 0 // bytes at the end of dst in use
	for i := range len(text) {
		carry := int(base58Values[text[i]])
		if carry == 255 {
			return fmt.Errorf("character %q at %d is no base58", text[i], i)
		}
		for j := range n {
			p := &dst[len(dst)-1-j]
			carry += int(*p) * 58
			*p = byte(carry)
			carry >>= 8
		}
		for ; carry > 0; n++ {
			if n == len(dst) {
				return fmt.Errorf("got more than %d bytes", len(dst))
			}
			dst[len(dst)-1-n] = byte(carry)
			carry >>= 8
		}
	}
	zeros := 0
	for zeros < len(text) && text[zeros] == base58Digits[0] {
		zeros++
	}
	if zeros+n != len(dst) {
		return fmt.Errorf("got %d bytes, want %d", zeros+n, len(dst))
	}
	return nil
}
