package tensor

// Take returns n elements of *buf, which grows if it is too small. The contents
// are whatever was there.
func Take[T Element](buf *[]T, n int) []T {
	if n < 0 {
		panic("BUG: tensor.Take: negative size")
	}
	*buf = Grow(*buf, n)
	return *buf
}

// Embedded is the bytes of an embedded file, which must only be read. They are
// copied if they do not stand at an address that every element type accepts.
func Embedded(s string) []byte {
	b := bytesOfString(s)
	if !aligned8(b) {
		c := Aligned(len(b))
		copy(c, b)
		return c
	}
	return b
}
